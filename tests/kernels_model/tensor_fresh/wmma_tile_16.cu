// WMMA: one warp a block and a fragment of 16 by 16; tiles without a pad.
// block: 32
// grid: N//16,M//16
// multiples: 16,16,16
// element: float16
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;
#define BM 16
#define BN 16
#define BK 16
#define WM 16
#define WN 16
#define PAD 0
#define EACH 8  // numbers of one load
#define THREADS 32

extern "C" __global__ void __launch_bounds__(THREADS) gemm(const __half* A, const __half* B, float* C, int M, int N, int K)
{
    __shared__ __align__(32) __half As[BM][BK + PAD];
    __shared__ __align__(32) __half Bs[BK][BN + PAD];
    const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN, warp = threadIdx.x / 32;
    const int row = warp / (BN / WN) * WM, col = warp % (BN / WN) * WN;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums[WM / 16][WN / 16];
    for (int m = 0; m < WM / 16; ++m)
        for (int n = 0; n < WN / 16; ++n) wmma::fill_fragment(sums[m][n], 0.0f);
    for (int k0 = 0; k0 < K; k0 += BK) {
        for (int i = threadIdx.x * EACH; i < BM * BK; i += THREADS * EACH)
            *reinterpret_cast<int4*>(&As[i / BK][i % BK]) =
                *reinterpret_cast<const int4*>(&A[size_t(row0 + i / BK) * K + k0 + i % BK]);
        for (int i = threadIdx.x * EACH; i < BK * BN; i += THREADS * EACH)
            *reinterpret_cast<int4*>(&Bs[i / BN][i % BN]) =
                *reinterpret_cast<const int4*>(&B[size_t(k0 + i / BN) * N + col0 + i % BN]);
        __syncthreads();
        for (int k = 0; k < BK; k += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a[WM / 16];
            wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> b[WN / 16];
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
