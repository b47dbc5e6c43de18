// A warp makes 16 by 16 of C from fragments that it reads from global memory. Four warps a block, two by two.
// block: 128
// grid: N//32,M//32
// multiples: 32,32,16
// element: float16
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

extern "C" __global__ void gemm(const __half* A, const __half* B, float* C, int M, int N, int K)
{
    const int warp = threadIdx.x / 32;
    const int row = blockIdx.y * 32 + warp / 2 * 16, col = blockIdx.x * 32 + warp % 2 * 16;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> b;
    wmma::fill_fragment(sum, 0.0f);
    for (int k = 0; k < K; k += 16) {
        wmma::load_matrix_sync(a, A + size_t(row) * K + k, K);
        wmma::load_matrix_sync(b, B + size_t(k) * N + col, N);
        wmma::mma_sync(sum, a, b, sum);
    }
    wmma::store_matrix_sync(C + size_t(row) * N + col, sum, N, wmma::mem_row_major);
}
