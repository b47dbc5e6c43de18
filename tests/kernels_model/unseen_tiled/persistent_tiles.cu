// 264 blocks, which take one tile of 64 by 64 after the other in steps of the grid.
// block: 256
// grid: 264
#define SIDE 64
#define BK 16

extern "C" __global__ void __launch_bounds__(256) gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float As[BK][SIDE + 1], Bs[BK][SIDE];
    const int t = threadIdx.x, x = t % 16, y = t / 16, across = (N + SIDE - 1) / SIDE, down = (M + SIDE - 1) / SIDE;
    for (int tile = blockIdx.x; tile < across * down; tile += gridDim.x) {
        const int top = tile / across * SIDE, left = tile % across * SIDE;
        float sums[4][4] = {};
        for (int k0 = 0; k0 < K; k0 += BK) {
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                const int r = y + 16 * i, k = t / SIDE + 4 * i, c = t % SIDE;
                As[x][r] = top + r < M && k0 + x < K ? A[(top + r) * K + k0 + x] : 0.0f;
                Bs[k][c] = k0 + k < K && left + c < N ? B[(k0 + k) * N + left + c] : 0.0f;
            }
            __syncthreads();
#pragma unroll
            for (int k = 0; k < BK; ++k)
#pragma unroll
                for (int i = 0; i < 4; ++i)
#pragma unroll
                    for (int j = 0; j < 4; ++j) sums[i][j] += As[k][y + 16 * i] * Bs[k][x + 16 * j];
            __syncthreads();
        }
#pragma unroll
        for (int i = 0; i < 4; ++i)
#pragma unroll
            for (int j = 0; j < 4; ++j)
                if (top + y + 16 * i < M && left + x + 16 * j < N) C[(top + y + 16 * i) * N + left + x + 16 * j] = sums[i][j];
    }
}
