// bug: none - one thread prints, which is no fault
// expect: ok
// diag: no error finding at any shape
// block: 16,16
// grid: cdiv(N,16),cdiv(M,16)
// smem: 0
// shape_fail: none
// shape_pass: 17,19,29; 16,16,16
// at_pass: ok
#include <stdio.h>

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    if (row + col == 0) printf("%d rows, the %s element is %5.2f\n", M, "first", A[0]);
    if (row >= M || col >= N) return;
    float acc = 0.0f;
    for (int k = 0; k < K; ++k) acc += A[row * K + k] * B[k * N + col];
    C[row * N + col] = acc;
}
