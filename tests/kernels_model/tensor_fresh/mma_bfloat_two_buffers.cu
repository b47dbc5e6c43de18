// mma.sync and ldmatrix on bfloat16, tiles of 128 by 64, two buffers, warps of 32 by 32.
// block: 256
// grid: N//64,M//128
// multiples: 128,64,32
// element: bfloat16
#include <cuda_bf16.h>
#define BM 128
#define BN 64
#define BK 32
#define WM 32
#define WN 32
#define PAD 8
#define STAGES 2
#define THREADS 256

__device__ __forceinline__ void copy16(const void* to, const void* from)
{
    const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(to));
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" : : "r"(at), "l"(from) : "memory");
}

extern "C" __global__ void __launch_bounds__(THREADS) gemm(const __nv_bfloat16* A, const __nv_bfloat16* B, float* C, int M, int N, int K)
{
    __shared__ __align__(16) __nv_bfloat16 As[STAGES][BM][BK + PAD];
    __shared__ __align__(16) __nv_bfloat16 Bs[STAGES][BK][BN + PAD];
    const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int row = warp / (BN / WN) * WM, col = warp % (BN / WN) * WN;
    float sums[WM / 16][WN / 8][4] = {};
    auto fetch = [&](int stage, int k0) {
#pragma unroll
        for (int i = threadIdx.x * 8; i < BM * BK; i += THREADS * 8)
            copy16(&As[stage][i / BK][i % BK], &A[size_t(row0 + i / BK) * K + k0 + i % BK]);
#pragma unroll
        for (int i = threadIdx.x * 8; i < BK * BN; i += THREADS * 8)
            copy16(&Bs[stage][i / BN][i % BN], &B[size_t(k0 + i / BN) * N + col0 + i % BN]);
    };
    int stage = 0;
    if (STAGES == 2) fetch(0, 0);
    asm volatile("cp.async.commit_group;" ::: "memory");
    for (int k0 = 0; k0 < K; k0 += BK) {
        if (STAGES == 1) fetch(0, k0);
        if (STAGES == 2 && k0 + BK < K) fetch(1 - stage, k0 + BK);
        asm volatile("cp.async.commit_group;" ::: "memory");
        asm volatile("cp.async.wait_group %0;" : : "n"(STAGES - 1) : "memory");
        __syncthreads();
#pragma unroll
        for (int k = 0; k < BK; k += 16) {
            unsigned a[WM / 16][4], b[WN / 8][2];
#pragma unroll
            for (int m = 0; m < WM / 16; ++m) {
                const unsigned at = __cvta_generic_to_shared(&As[stage][row + 16 * m + lane % 16][k + lane / 16 * 8]);
                asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                             : "=r"(a[m][0]), "=r"(a[m][1]), "=r"(a[m][2]), "=r"(a[m][3]) : "r"(at) : "memory");
            }
#pragma unroll
            for (int n = 0; n < WN / 8; n += 2) {
                const unsigned at = __cvta_generic_to_shared(&Bs[stage][k + lane % 16][col + 8 * n + lane / 16 * 8]);
                asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                             : "=r"(b[n][0]), "=r"(b[n][1]), "=r"(b[n + 1][0]), "=r"(b[n + 1][1]) : "r"(at) : "memory");
            }
#pragma unroll
            for (int m = 0; m < WM / 16; ++m)
#pragma unroll
                for (int n = 0; n < WN / 8; ++n) {
                    float(&d)[4] = sums[m][n];
                    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
                                 "{%8, %9}, {%0, %1, %2, %3};"
                                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                                 : "r"(a[m][0]), "r"(a[m][1]), "r"(a[m][2]), "r"(a[m][3]), "r"(b[n][0]), "r"(b[n][1]));
                }
        }
        __syncthreads();
        if (STAGES == 2) stage = 1 - stage;
    }
#pragma unroll
    for (int m = 0; m < WM / 16; ++m)
#pragma unroll
        for (int n = 0; n < WN / 8; ++n) {
            float* to = &C[size_t(row0 + row + 16 * m + lane / 4) * N + col0 + col + 8 * n + lane % 4 * 2];
            *reinterpret_cast<float2*>(to) = make_float2(sums[m][n][0], sums[m][n][1]);
            *reinterpret_cast<float2*>(to + 8 * size_t(N)) = make_float2(sums[m][n][2], sums[m][n][3]);
        }
}
