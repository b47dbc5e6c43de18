// launcher: solve
// expect: uninitialized
#include <cuda_runtime.h>

__global__ void gemm_split(const float* A, const float* B, float* C, int M, int N, int K, int chunk) {
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= M || col >= N) return;
    float acc = 0.0f;
    for (int k = blockIdx.z * chunk; k < min(K, (int)(blockIdx.z + 1) * chunk); ++k) acc += A[row * K + k] * B[k * N + col];
    atomicAdd(&C[row * N + col], acc);
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    cudaMemset(C, 0, M * N);
    gemm_split<<<dim3((N + 15) / 16, (M + 15) / 16, 2), dim3(16, 16)>>>(A, B, C, M, N, K, (K + 1) / 2);
}
