// A grid of one dimension, its blocks in groups eight tiles high, so that neighbours in time share rows and columns.
// block: 32,8
// grid: cdiv(N,32)*cdiv(M,32)
#define TILE 32
#define GROUP 8

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float As[TILE][TILE + 1], Bs[TILE][TILE];
    const int across = (N + TILE - 1) / TILE, down = (M + TILE - 1) / TILE;
    const int group = blockIdx.x / (GROUP * across), rest = blockIdx.x % (GROUP * across);
    const int high = min(GROUP, down - group * GROUP);
    const int top = (group * GROUP + rest % high) * TILE, left = rest / high * TILE;
    const int tx = threadIdx.x, ty = threadIdx.y * 4, col = left + tx;
    float sums[4] = {};
    for (int k0 = 0; k0 < K; k0 += TILE) {
        for (int i = 0; i < 4; ++i) {
            As[ty + i][tx] = top + ty + i < M && k0 + tx < K ? A[(top + ty + i) * K + k0 + tx] : 0.0f;
            Bs[ty + i][tx] = k0 + ty + i < K && col < N ? B[(k0 + ty + i) * N + col] : 0.0f;
        }
        __syncthreads();
        for (int k = 0; k < TILE; ++k)
            for (int i = 0; i < 4; ++i) sums[i] += As[ty + i][k] * Bs[k][tx];
        __syncthreads();
    }
    for (int i = 0; i < 4; ++i)
        if (top + ty + i < M && col < N) C[(top + ty + i) * N + col] = sums[i];
}
