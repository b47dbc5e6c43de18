// Eight columns a thread, a warp apart, in one row: A's element is used eight times. Eight rows of threads.
// block: 32,8
// grid: cdiv(N,256),cdiv(M,8)
#define COLUMNS 8

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int left = blockIdx.x * 32 * COLUMNS + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
    if (row >= M) return;
    float sums[COLUMNS] = {};
    for (int k = 0; k < K; ++k) {
        const float a = A[row * K + k];
        const float* b = B + k * N + left;
#pragma unroll
        for (int j = 0; j < COLUMNS; ++j)
            if (left + 32 * j < N) sums[j] += a * b[32 * j];
    }
#pragma unroll
    for (int j = 0; j < COLUMNS; ++j)
        if (left + 32 * j < N) C[row * N + left + 32 * j] = sums[j];
}
