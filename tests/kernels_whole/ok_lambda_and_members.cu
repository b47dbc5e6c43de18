// launcher: solve
// expect: passed
#include <cuda_runtime.h>
#include <algorithm>

__global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K) {
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= M || col >= N) return;
    float acc = 0.0f;
    for (int k = 0; k < K; ++k) acc += A[row * K + k] * B[k * N + col];
    C[row * N + col] = acc;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    auto cdiv = [](auto a, auto b) { return (a + b - 1) / b; };
    auto next_power = [&](int n) {
        int p = 1;
        while (p < n) p <<= 1;
        return p;
    };
    unsigned width = std::min(32, next_power(N));
    dim3 block, grid;
    block.x = width;
    block.y = 256u / width > 8 ? 8 : 256u / width;
    grid.x = cdiv((unsigned)N, block.x);
    grid.y = cdiv((unsigned)M, block.y);
    gemm<<<grid, block>>>(A, B, C, M, N, K);
}
