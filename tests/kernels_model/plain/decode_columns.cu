// For few rows, as a language model has them: a thread has one column of B and up to sixteen rows of A.
// block: 128
// grid: cdiv(N,128),cdiv(M,16)
#define ROWS 16

extern "C" __global__ void __launch_bounds__(128) gemm(const float* __restrict__ A, const float* __restrict__ B,
                                                       float* __restrict__ C, int M, int N, int K)
{
    const int col = blockIdx.x * 128 + threadIdx.x, row = blockIdx.y * ROWS;
    if (col >= N) return;
    float sums[ROWS];
#pragma unroll
    for (int i = 0; i < ROWS; ++i) sums[i] = 0.0f;
#pragma unroll 4
    for (int k = 0; k < K; ++k) {
        const float b = __ldg(&B[k * N + col]);
#pragma unroll
        for (int i = 0; i < ROWS; ++i) sums[i] += __ldg(&A[min(row + i, M - 1) * K + k]) * b;
    }
#pragma unroll
    for (int i = 0; i < ROWS; ++i) {
        if (row + i < M) C[(row + i) * N + col] = sums[i];
    }
}
