// launcher: solve
// expect: passed
#include <cuda_runtime.h>
#include <algorithm>

__global__ void gemm_any(const float* A, const float* B, float* C, int M, int N, int K) {
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= M || col >= N) return;
    float acc = 0.0f;
    for (int k = 0; k < K; ++k) acc += A[row * K + k] * B[k * N + col];
    C[row * N + col] = acc;
}

__global__ void gemm_vec4(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N, int K) {
    const int col = 4 * (blockIdx.x * blockDim.x + threadIdx.x), row = blockIdx.y;
    if (col >= N) return;
    float4 acc = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    for (int k = 0; k < K; ++k) {
        const float a = A[row * K + k];
        const float4 b = *reinterpret_cast<const float4*>(&B[k * N + col]);
        acc.x += a * b.x, acc.y += a * b.y, acc.z += a * b.z, acc.w += a * b.w;
    }
    *reinterpret_cast<float4*>(&C[row * N + col]) = acc;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    bool aligned = N % 4 == 0 && (M > 0 || K > 0);
    if (aligned) {
        int threads = std::min(256, std::max(32, N / 4));
        gemm_vec4<<<dim3((N / 4 + threads - 1) / threads, M), threads>>>(A, B, C, M, N, K);
        return;
    }
    int side = M < 16 || N < 16 ? 8 : 16;
    gemm_any<<<dim3((N + side - 1) / side, (M + side - 1) / side), dim3(side, side)>>>(A, B, C, M, N, K);
}
