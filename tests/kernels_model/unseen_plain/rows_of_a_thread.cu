// Eight rows a thread, which lie a block apart, in one column: B's element is used eight times.
// block: 64,2
// grid: cdiv(N,64),cdiv(M,16)
#define ROWS 8

extern "C" __global__ void gemm(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N,
                                int K)
{
    const int col = blockIdx.x * 64 + threadIdx.x, top = blockIdx.y * 2 * ROWS + threadIdx.y;
    if (col >= N) return;
    const float* a[ROWS];
    float sums[ROWS] = {};
#pragma unroll
    for (int i = 0; i < ROWS; ++i) a[i] = A + min(top + 2 * i, M - 1) * K;
    for (int k = 0; k < K; ++k) {
        const float b = B[k * N + col];
#pragma unroll
        for (int i = 0; i < ROWS; ++i) sums[i] = fmaf(a[i][k], b, sums[i]);
    }
#pragma unroll
    for (int i = 0; i < ROWS; ++i)
        if (top + 2 * i < M) C[(top + 2 * i) * N + col] = sums[i];
}
