// For a long K: the eight warps of a block take every eighth k of the same 32 columns and four rows, and add up in the end.
// block: 32,8
// grid: cdiv(N,32),cdiv(M,4)
#define ROWS 4
#define WARPS 8

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float partial[WARPS][ROWS][32];
    const int lane = threadIdx.x, warp = threadIdx.y, col = blockIdx.x * 32 + lane, top = blockIdx.y * ROWS;
    float sums[ROWS] = {};
    if (col < N) {
        for (int k = warp; k < K; k += WARPS) {
            const float b = B[k * N + col];
#pragma unroll
            for (int i = 0; i < ROWS; ++i)
                if (top + i < M) sums[i] += A[(top + i) * K + k] * b;
        }
    }
#pragma unroll
    for (int i = 0; i < ROWS; ++i) partial[warp][i][lane] = sums[i];
    __syncthreads();
    if (warp >= ROWS) return;
    float sum = 0.0f;
    for (int w = 0; w < WARPS; ++w) sum += partial[w][warp][lane];
    if (top + warp < M && col < N) C[(top + warp) * N + col] = sum;
}
