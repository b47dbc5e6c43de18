// Tiles on two levels: 64 by 128 a block, of which each of eight warps has 32 by 32, and a lane eight by four of those.
// block: 256
// grid: cdiv(N,128),cdiv(M,64)
#define BM 64
#define BN 128
#define BK 8

extern "C" __global__ void __launch_bounds__(256) gemm(const float* __restrict__ A, const float* __restrict__ B,
                                                       float* __restrict__ C, int M, int N, int K)
{
    __shared__ __align__(16) float As[BK][BM + 4], Bs[BK][BN];
    const int t = threadIdx.x, warp = t / 32, lane = t % 32, top = blockIdx.y * BM, left = blockIdx.x * BN;
    const int y = warp / 4 * 32 + lane / 8 * 8, x = warp % 4 * 32 + lane % 8 * 4;
    float acc[8][4] = {};
    for (int k0 = 0; k0 < K; k0 += BK) {
#pragma unroll
        for (int i = t; i < BM * BK; i += 256)
            As[i % BK][i / BK] = top + i / BK < M && k0 + i % BK < K ? A[(top + i / BK) * K + k0 + i % BK] : 0.0f;
#pragma unroll
        for (int i = t; i < BK * BN; i += 256)
            Bs[i / BN][i % BN] = k0 + i / BN < K && left + i % BN < N ? B[(k0 + i / BN) * N + left + i % BN] : 0.0f;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < BK; ++k) {
            const float4 low = *reinterpret_cast<const float4*>(&As[k][y]);
            const float4 high = *reinterpret_cast<const float4*>(&As[k][y + 4]);
            const float4 v = *reinterpret_cast<const float4*>(&Bs[k][x]);
            const float a[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w}, b[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
            for (int i = 0; i < 8; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j) acc[i][j] += a[i] * b[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < 8; ++i)
        for (int j = 0; j < 4; ++j)
            if (top + y + i < M && left + x + j < N) C[(top + y + i) * N + left + x + j] = acc[i][j];
}
