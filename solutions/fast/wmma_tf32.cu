// Beyond the ladder: lesson 11 with TF32. A is M×K, B is K×N, C is M×N, all row-major float32; the factors are rounded.
// Three things differ: a fragment of A has 16×8 elements and one of B 8×16, so a step along K is 8; fragments are of
// `precision::tf32`; and each of their elements is rounded after it was read, which WMMA leaves to the kernel.
// A block computes one BM×BN tile of C, in steps of BK along K. A warp computes WM×WN of it, in fragments of SIDE×SIDE.
// A fragment belongs to a whole warp: its elements lie in the registers of all 32 lanes, and only WMMA knows which where.
// Launch: THREADS threads a block, one block a tile of C. Each matrix has fewer than 2^31 elements.
#include <mma.h>
using namespace nvcuda;

#define BM 64
#define BN 64
#define BK 32
#define WM 32
#define WN 32
#define SIDE 16
#define STEP 8
#define PAD 8
#define WARPS_X (BN / WN)
#define THREADS (BM / WM * WARPS_X * 32)

extern "C" __global__ void __launch_bounds__(THREADS)
gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    // Shared memory: one copy a block, seen by all its threads, much nearer than global memory.
    // A fragment is read from an address that is a multiple of 32 bytes; rows are a multiple of 16 bytes apart.
    __shared__ __align__(32) float As[BM][BK + PAD];
    __shared__ __align__(32) float Bs[BK][BN + PAD];
    __shared__ __align__(32) float Cs[BM][BN + PAD];

    const int tid = threadIdx.x;
    const int warp = tid / 32;
    const int lane = tid % 32;
    const int row0 = blockIdx.y * BM;  // where the block's tile begins in C
    const int col0 = blockIdx.x * BN;
    const int warp_row = warp / WARPS_X * WM;  // where the warp's tile begins in the block's
    const int warp_col = warp % WARPS_X * WN;

    wmma::fragment<wmma::accumulator, SIDE, SIDE, STEP, float> acc[WM / SIDE][WN / SIDE];  // the running sums
    for (int m = 0; m < WM / SIDE; ++m) {
        for (int n = 0; n < WN / SIDE; ++n) {
            wmma::fill_fragment(acc[m][n], 0.0f);
        }
    }

    // Walk along K, across a strip of A and down a strip of B, one pair of tiles at a time.
    for (int k0 = 0; k0 < K; k0 += BK) {
        // A tile has more elements than the block has threads. Outside the matrix put 0. No thread may return here,
        // because all threads of the block must reach both barriers.
        for (int i = tid; i < BM * BK; i += THREADS) {
            const int r = row0 + i / BK;
            const int c = k0 + i % BK;
            As[i / BK][i % BK] = (r < M && c < K) ? A[r * K + c] : 0.0f;
        }
        for (int i = tid; i < BK * BN; i += THREADS) {
            const int r = k0 + i / BN;
            const int c = col0 + i % BN;
            Bs[i / BN][i % BN] = (r < K && c < N) ? B[r * N + c] : 0.0f;
        }

        // Read after write: the loop below reads what other threads copied.
        // Wait until all have copied.
        __syncthreads();

        for (int k = 0; k < BK; k += STEP) {
            wmma::fragment<wmma::matrix_a, SIDE, SIDE, STEP, wmma::precision::tf32, wmma::row_major> a[WM / SIDE];
            wmma::fragment<wmma::matrix_b, SIDE, SIDE, STEP, wmma::precision::tf32, wmma::row_major> b[WN / SIDE];
            for (int m = 0; m < WM / SIDE; ++m) {
                wmma::load_matrix_sync(a[m], &As[warp_row + m * SIDE][k], BK + PAD);
                for (int e = 0; e < a[m].num_elements; ++e) {
                    a[m].x[e] = wmma::__float_to_tf32(a[m].x[e]);
                }
            }
            for (int n = 0; n < WN / SIDE; ++n) {
                wmma::load_matrix_sync(b[n], &Bs[k][warp_col + n * SIDE], BN + PAD);
                for (int e = 0; e < b[n].num_elements; ++e) {
                    b[n].x[e] = wmma::__float_to_tf32(b[n].x[e]);
                }
            }
            for (int m = 0; m < WM / SIDE; ++m) {
                for (int n = 0; n < WN / SIDE; ++n) {
                    wmma::mma_sync(acc[m][n], a[m], b[n], acc[m][n]);
                }
            }
        }

        // Write after read: the next turn overwrites both tiles.
        // Wait until all have read them.
        __syncthreads();
    }

    // A fragment is stored whole, so it cannot end at the edge of C. It goes to shared memory first, and from there only
    // what C has. A warp reads back what it stored itself, so that it need not wait for the others.
    for (int m = 0; m < WM / SIDE; ++m) {
        for (int n = 0; n < WN / SIDE; ++n) {
            float* to = &Cs[warp_row + m * SIDE][warp_col + n * SIDE];
            wmma::store_matrix_sync(to, acc[m][n], BN + PAD, wmma::mem_row_major);
        }
    }
    __syncwarp();
    for (int i = lane; i < WM * WN; i += 32) {
        const int r = warp_row + i / WN;
        const int c = warp_col + i % WN;
        if (row0 + r < M && col0 + c < N) {
            C[(row0 + r) * N + col0 + c] = Cs[r][c];
        }
    }
}
