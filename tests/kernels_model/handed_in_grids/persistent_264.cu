// 264 blocks walk over all tiles of 64 by 64, row of tiles by row; four by four a thread, 16 deep.
// block: 256
// grid: 264
extern "C" __global__ void gemm(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N,
                                int K)
{
    __shared__ float As[16][68], Bs[16][64];
    const int t = threadIdx.x, tx = t % 16, ty = t / 16, across = (N + 63) / 64, tiles = across * ((M + 63) / 64);
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const int top = tile / across * 64, left = tile % across * 64;
        float acc[4][4] = {};
        for (int k0 = 0; k0 < K; k0 += 16) {
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                const int r = t / 16 + 16 * i, k = t % 16, p = t / 64 + 4 * i, c = t % 64;
                As[k][r] = top + r < M && k0 + k < K ? A[(top + r) * K + k0 + k] : 0.0f;
                Bs[p][c] = k0 + p < K && left + c < N ? B[(k0 + p) * N + left + c] : 0.0f;
            }
            __syncthreads();
#pragma unroll
            for (int k = 0; k < 16; ++k) {
                const float4 a = *(const float4*)&As[k][ty * 4];
                const float v[4] = {a.x, a.y, a.z, a.w};
#pragma unroll
                for (int i = 0; i < 4; ++i)
#pragma unroll
                    for (int j = 0; j < 4; ++j) acc[i][j] += v[i] * Bs[k][tx + 16 * j];
            }
            __syncthreads();
        }
        for (int i = 0; i < 4; ++i)
            for (int j = 0; j < 4; ++j)
                if (top + ty * 4 + i < M && left + tx + 16 * j < N) C[(top + ty * 4 + i) * N + left + tx + 16 * j] = acc[i][j];
    }
}
