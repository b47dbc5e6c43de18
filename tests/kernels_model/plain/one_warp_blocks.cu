// Blocks of a single warp, eight rows a thread.
// block: 32
// grid: cdiv(N,32),cdiv(M,8)
#define ROWS 8

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * ROWS;
    if (col >= N) return;
    float sums[ROWS] = {};
    for (int k = 0; k < K; ++k) {
        const float b = B[k * N + col];
#pragma unroll
        for (int i = 0; i < ROWS; ++i) sums[i] += (row + i < M ? A[(row + i) * K + k] : 0.0f) * b;
    }
#pragma unroll
    for (int i = 0; i < ROWS; ++i)
        if (row + i < M) C[(row + i) * N + col] = sums[i];
}
