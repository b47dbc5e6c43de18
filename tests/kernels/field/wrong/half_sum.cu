// bug: the running sum is a half-precision number
// expect: wrong-result
// diag: eleven bits are too few for a float result
// says: fewer bits
// block: 16,16
// grid: cdiv(N,16),cdiv(M,16)
// smem: 0
// shape_fail: 16,16,64
// shape_pass: none
// at_pass: wrong-result at every shape
#include <cuda_fp16.h>

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    if (row >= M || col >= N) return;
    __half acc = __float2half(0.0f);
    for (int k = 0; k < K; ++k) acc = __hadd(acc, __float2half(A[row * K + k] * B[k * N + col]));
    C[row * N + col] = __half2float(acc);
}
