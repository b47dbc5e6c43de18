// A warp makes 32 by 32 of C, four fragments, read from global memory. Eight warps a block side by side.
// block: 32,8
// grid: M//32,N//256
// multiples: 32,256,16
// element: float16
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

extern "C" __global__ void gemm(const __half* A, const __half* B, float* C, int M, int N, int K)
{
    const int row = blockIdx.x * 32, col = blockIdx.y * 256 + threadIdx.y * 32;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums[2][2];
    for (int i = 0; i < 4; ++i) wmma::fill_fragment(sums[i / 2][i % 2], 0.0f);
    for (int k = 0; k < K; k += 16) {
        wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a[2];
        wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> b[2];
        for (int i = 0; i < 2; ++i) {
            wmma::load_matrix_sync(a[i], A + size_t(row + 16 * i) * K + k, K);
            wmma::load_matrix_sync(b[i], B + size_t(k) * N + col + 16 * i, N);
        }
        for (int i = 0; i < 4; ++i) wmma::mma_sync(sums[i / 2][i % 2], a[i / 2], b[i % 2], sums[i / 2][i % 2]);
    }
    for (int i = 0; i < 4; ++i) {
        float* to = C + size_t(row + i / 2 * 16) * N + col + i % 2 * 16;
        wmma::store_matrix_sync(to, sums[i / 2][i % 2], N, wmma::mem_row_major);
    }
}
