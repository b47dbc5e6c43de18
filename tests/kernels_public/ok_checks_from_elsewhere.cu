// run: --launcher solve
// expect: passed, warned | cuda_utils.h
// The checking macros and the division that rounds up stand in files that are not here.
#include "cuda_utils.h"
#include "common/helper_math_utils.hpp"

__global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K) {
    int row = blockIdx.y * 8 + threadIdx.y, col = blockIdx.x * 32 + threadIdx.x;
    if (row >= M || col >= N) return;
    float sum = 0.f;
    for (int k = 0; k < K; k++) sum = fmaf(A[row * K + k], B[k * N + col], sum);
    C[row * N + col] = sum;
}

void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    float* copy = nullptr;
    CUDA_CHECK(cudaMalloc(&copy, sizeof(float) * M * K));
    checkCudaErrors(cudaMemcpy(copy, A, M * K * sizeof(float), cudaMemcpyDeviceToDevice));
    gemm<<<dim3(utils::cdiv(N, 32), ceil_div(M, 8)), dim3(32, 8)>>>(copy, B, C, M, N, K);
    CUDA_KERNEL_CHECK();
    safe_call(cudaDeviceSynchronize(), "gemm");
    getLastCudaError("gemm failed");
    CUDA_CHECK(cudaFree(copy));
}
