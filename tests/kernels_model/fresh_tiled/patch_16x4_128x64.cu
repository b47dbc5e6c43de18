// Sixteen rows and four columns a thread, 128 threads; the four of B are one float4 of the tile, A is turned.
// block: 128
// grid: cdiv(N,64),cdiv(M,128)
#define BM 128
#define BN 64
#define BK 8

extern "C" __global__ void __launch_bounds__(128) gemm(const float* __restrict__ A, const float* __restrict__ B,
                                                       float* __restrict__ C, int M, int N, int K)
{
    __shared__ __align__(16) float As[BK][BM], Bs[BK][BN];
    const int t = threadIdx.x, tx = t % 16, ty = t / 16, top = blockIdx.y * BM, left = blockIdx.x * BN;
    float acc[16][4] = {};
    for (int k0 = 0; k0 < K; k0 += BK) {
#pragma unroll
        for (int k = 0; k < BK; ++k) As[k][t] = top + t < M && k0 + k < K ? A[(top + t) * K + k0 + k] : 0.0f;
#pragma unroll
        for (int i = t; i < BK * BN; i += 128)
            Bs[i / BN][i % BN] = k0 + i / BN < K && left + i % BN < N ? B[(k0 + i / BN) * N + left + i % BN] : 0.0f;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < BK; ++k) {
            const float4 b = *reinterpret_cast<const float4*>(&Bs[k][tx * 4]);
#pragma unroll
            for (int i = 0; i < 16; i += 4) {
                const float4 a = *reinterpret_cast<const float4*>(&As[k][ty * 16 + i]);
                const float four[4] = {a.x, a.y, a.z, a.w};
#pragma unroll
                for (int r = 0; r < 4; ++r) {
                    acc[i + r][0] += four[r] * b.x;
                    acc[i + r][1] += four[r] * b.y;
                    acc[i + r][2] += four[r] * b.z;
                    acc[i + r][3] += four[r] * b.w;
                }
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 16; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j)
            if (top + ty * 16 + i < M && left + tx * 4 + j < N) C[(top + ty * 16 + i) * N + left + tx * 4 + j] = acc[i][j];
}
