// launcher: launch_split_k
// expect: passed
#include <cuda_runtime.h>

__global__ void gemm_split(const float* A, const float* B, float* C, int M, int N, int K, int chunk) {
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= M || col >= N) return;
    float acc = 0.0f;
    for (int k = blockIdx.z * chunk; k < min(K, (int)(blockIdx.z + 1) * chunk); ++k) acc += A[row * K + k] * B[k * N + col];
    atomicAdd(&C[row * N + col], acc);
}

void launch_split_k(const float* A, const float* B, float* C, int M, int N, int K, cudaStream_t stream) {
    int splits = K > 32 ? 4 : 1;
    int chunk = (K + splits - 1) / splits;
    cudaMemsetAsync(C, 0, (size_t)M * N * sizeof(float), stream);
    dim3 block(16, 16), grid((N + 15) / 16, (M + 15) / 16, splits);
    gemm_split<<<grid, block, 0, stream>>>(A, B, C, M, N, K, chunk);
}
