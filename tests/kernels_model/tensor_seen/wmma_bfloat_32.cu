// WMMA on tiles of 32 by 32 of bfloat16, a fragment a warp, 8 bytes a load.
// block: 128
// grid: N//32,M//32
// multiples: 32,32,32
// element: bfloat16
#include <cuda_bf16.h>
#include <mma.h>
using namespace nvcuda;
#define BM 32
#define BN 32
#define BK 32
#define WM 16
#define WN 16
#define PAD 8
#define EACH 4  // numbers of one load
#define THREADS 128

extern "C" __global__ void __launch_bounds__(THREADS) gemm(const __nv_bfloat16* A, const __nv_bfloat16* B, float* C, int M, int N, int K)
{
    __shared__ __align__(32) __nv_bfloat16 As[BM][BK + PAD];
    __shared__ __align__(32) __nv_bfloat16 Bs[BK][BN + PAD];
    const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN, warp = threadIdx.x / 32;
    const int row = warp / (BN / WN) * WM, col = warp % (BN / WN) * WN;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums[WM / 16][WN / 16];
    for (int m = 0; m < WM / 16; ++m)
        for (int n = 0; n < WN / 16; ++n) wmma::fill_fragment(sums[m][n], 0.0f);
    for (int k0 = 0; k0 < K; k0 += BK) {
        for (int i = threadIdx.x * EACH; i < BM * BK; i += THREADS * EACH)
            *reinterpret_cast<int2*>(&As[i / BK][i % BK]) =
                *reinterpret_cast<const int2*>(&A[size_t(row0 + i / BK) * K + k0 + i % BK]);
        for (int i = threadIdx.x * EACH; i < BK * BN; i += THREADS * EACH)
            *reinterpret_cast<int2*>(&Bs[i / BN][i % BN]) =
                *reinterpret_cast<const int2*>(&B[size_t(k0 + i / BN) * N + col0 + i % BN]);
        __syncthreads();
        for (int k = 0; k < BK; k += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major> a[WM / 16];
            wmma::fragment<wmma::matrix_b, 16, 16, 16, __nv_bfloat16, wmma::row_major> b[WN / 16];
            for (int m = 0; m < WM / 16; ++m) wmma::load_matrix_sync(a[m], &As[row + 16 * m][k], BK + PAD);
            for (int n = 0; n < WN / 16; ++n) wmma::load_matrix_sync(b[n], &Bs[k][col + 16 * n], BN + PAD);
            for (int m = 0; m < WM / 16; ++m)
                for (int n = 0; n < WN / 16; ++n) wmma::mma_sync(sums[m][n], a[m], b[n], sums[m][n]);
        }
        __syncthreads();
    }
    for (int m = 0; m < WM / 16; ++m)
        for (int n = 0; n < WN / 16; ++n)
            wmma::store_matrix_sync(&C[size_t(row0 + row + 16 * m) * N + col0 + col + 16 * n], sums[m][n], N,
                                    wmma::mem_row_major);
}
