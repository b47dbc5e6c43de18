// expect: wrong_result
// Float32 outside and float16 inside: twice as fast on tensor cores, and three digits of the result are gone.
// board: wrong

#include <cuda_fp16.h>

__global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    if (row >= M || col >= N) return;
    float acc = 0.0f;
    for (int k = 0; k < K; ++k) {
        acc += __half2float(__float2half(A[row * K + k])) * __half2float(__float2half(B[k * N + col]));
    }
    C[row * N + col] = acc;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K)
{
    gemm<<<dim3((N + 15) / 16, (M + 15) / 16), dim3(16, 16)>>>(A, B, C, M, N, K);
}
