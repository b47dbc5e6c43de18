// As many blocks as fit four an SM; each takes its tiles of 32 by 64 in a row, so many neighbours one after the other.
// block: 128
// grid: 528
#define BM 32
#define BN 64
#define BK 16

extern "C" __global__ void gemm(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N,
                                int K)
{
    __shared__ float As[BK][BM + 1], Bs[BK][BN];
    const int t = threadIdx.x, tx = t % 16, ty = t / 16;
    const int across = (N + BN - 1) / BN, tiles = across * ((M + BM - 1) / BM), each = (tiles + gridDim.x - 1) / gridDim.x;
    for (int tile = blockIdx.x * each; tile < min(tiles, ((int)blockIdx.x + 1) * each); ++tile) {
        const int top = tile / across * BM, left = tile % across * BN;
        float acc[4][4] = {};
        for (int k0 = 0; k0 < K; k0 += BK) {
#pragma unroll
            for (int i = t; i < BM * BK; i += 128)
                As[i % BK][i / BK] = top + i / BK < M && k0 + i % BK < K ? A[(top + i / BK) * K + k0 + i % BK] : 0.0f;
#pragma unroll
            for (int i = t; i < BK * BN; i += 128)
                Bs[i / BN][i % BN] = k0 + i / BN < K && left + i % BN < N ? B[(k0 + i / BN) * N + left + i % BN] : 0.0f;
            __syncthreads();
#pragma unroll
            for (int k = 0; k < BK; ++k)
#pragma unroll
                for (int i = 0; i < 4; ++i)
#pragma unroll
                    for (int j = 0; j < 4; ++j) acc[i][j] += As[k][ty * 4 + i] * Bs[k][tx + 16 * j];
            __syncthreads();
        }
        for (int i = 0; i < 4; ++i)
            for (int j = 0; j < 4; ++j)
                if (top + ty * 4 + i < M && left + tx + 16 * j < N) C[(top + ty * 4 + i) * N + left + tx + 16 * j] = acc[i][j];
    }
}
