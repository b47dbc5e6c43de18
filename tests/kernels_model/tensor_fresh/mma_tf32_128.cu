// TF32 by mma.sync m16n8k8, tiles of 128 by 128, eight warps of 64 by 32, read number by number.
// block: 256
// grid: N//128,M//128
// multiples: 128,128,16
// element: tf32
#define BM 128
#define BN 128
#define BK 16
#define WM 64
#define WN 32
#define PAD_A 4
#define PAD_B 8
#define THREADS 256

__device__ __forceinline__ unsigned rounded(float x)
{
    unsigned bits;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(x));
    return bits;
}

extern "C" __global__ void __launch_bounds__(THREADS) gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ __align__(16) float As[BM][BK + PAD_A];
    __shared__ __align__(16) float Bs[BK][BN + PAD_B];
    const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int row = warp / (BN / WN) * WM + lane / 4, col = warp % (BN / WN) * WN + lane / 4;
    float sums[WM / 16][WN / 8][4] = {};
    for (int k0 = 0; k0 < K; k0 += BK) {
#pragma unroll
        for (int i = threadIdx.x * 4; i < BM * BK; i += THREADS * 4)
            *reinterpret_cast<float4*>(&As[i / BK][i % BK]) =
                *reinterpret_cast<const float4*>(&A[size_t(row0 + i / BK) * K + k0 + i % BK]);
#pragma unroll
        for (int i = threadIdx.x * 4; i < BK * BN; i += THREADS * 4)
            *reinterpret_cast<float4*>(&Bs[i / BN][i % BN]) =
                *reinterpret_cast<const float4*>(&B[size_t(k0 + i / BN) * N + col0 + i % BN]);
        __syncthreads();
#pragma unroll
        for (int k1 = 0; k1 < BK; k1 += 8) {
            const int k = k1 + lane % 4;
            unsigned a[WM / 16][4], b[WN / 8][2];
#pragma unroll
            for (int m = 0; m < WM / 16; ++m)
#pragma unroll
                for (int e = 0; e < 4; ++e) a[m][e] = rounded(As[row + 16 * m + e % 2 * 8][k + e / 2 * 4]);
#pragma unroll
            for (int n = 0; n < WN / 8; ++n)
#pragma unroll
                for (int e = 0; e < 2; ++e) b[n][e] = rounded(Bs[k + 4 * e][col + 8 * n]);
#pragma unroll
            for (int m = 0; m < WM / 16; ++m)
#pragma unroll
                for (int n = 0; n < WN / 8; ++n) {
                    float(&d)[4] = sums[m][n];
                    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
                                 "{%8, %9}, {%0, %1, %2, %3};"
                                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                                 : "r"(a[m][0]), "r"(a[m][1]), "r"(a[m][2]), "r"(a[m][3]), "r"(b[n][0]), "r"(b[n][1]));
                }
        }
        __syncthreads();
    }
#pragma unroll
    for (int m = 0; m < WM / 16; ++m)
#pragma unroll
        for (int n = 0; n < WN / 8; ++n) {
            float* to = &C[size_t(row0 + row + 16 * m) * N + col0 + warp % (BN / WN) * WN + 8 * n + lane % 4 * 2];
            *reinterpret_cast<float2*>(to) = make_float2(sums[m][n][0], sums[m][n][1]);
            *reinterpret_cast<float2*>(to + 8 * size_t(N)) = make_float2(sums[m][n][2], sums[m][n][3]);
        }
}
