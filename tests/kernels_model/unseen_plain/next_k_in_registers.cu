// Four rows a thread. What the next k needs is loaded into registers before this k is multiplied.
// block: 128
// grid: cdiv(N,128),M//4
// multiples: 4,1,1
#define ROWS 4

extern "C" __global__ void __launch_bounds__(128) gemm(const float* __restrict__ A, const float* __restrict__ B,
                                                       float* __restrict__ C, int M, int N, int K)
{
    const int col = blockIdx.x * 128 + threadIdx.x, row = blockIdx.y * ROWS;
    if (col >= N) return;
    float sums[ROWS] = {}, a[ROWS], a_next[ROWS];
    for (int i = 0; i < ROWS; ++i) a[i] = A[(row + i) * K];
    float b = B[col];
    for (int k = 0; k < K; ++k) {
        const int next = min(k + 1, K - 1);
        for (int i = 0; i < ROWS; ++i) a_next[i] = A[(row + i) * K + next];
        const float b_next = B[next * N + col];
        for (int i = 0; i < ROWS; ++i) sums[i] += a[i] * b;
        for (int i = 0; i < ROWS; ++i) a[i] = a_next[i];
        b = b_next;
    }
    for (int i = 0; i < ROWS; ++i) C[(row + i) * N + col] = sums[i];
}
