// bug: none - two columns at once with __hfma2; sums of few small whole numbers are exact in half
// expect: ok
// diag: no error finding at any shape
// block: 8,16
// grid: cdiv(N,16),cdiv(M,16)
// smem: 0
// inputs: ones
// shape_fail: none
// shape_pass: 33,47,29; 16,16,16
// at_pass: ok
#include <cuda_fp16.h>

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + 2 * threadIdx.x;
    if (row >= M || col >= N) return;
    __half2 acc = __floats2half2_rn(0.0f, 0.0f);
    for (int k = 0; k < K; ++k) {
        const __half2 b = __floats2half2_rn(B[k * N + col], col + 1 < N ? B[k * N + col + 1] : 0.0f);
        acc = __hfma2(__float2half2_rn(A[row * K + k]), b, acc);
    }
    C[row * N + col] = __low2float(acc);
    if (col + 1 < N) C[row * N + col + 1] = __high2float(acc);
}
