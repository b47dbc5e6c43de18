// bug: none - tensor cores on 16x16x16 tiles of __half; whole numbers are exact
// expect: ok
// diag: no error finding at any shape
// block: 32
// grid: cdiv(N,16),cdiv(M,16)
// smem: 0
// inputs: integer
// shape_fail: none
// shape_pass: 32,16,48; 33,47,29
// at_pass: ok
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ __align__(32) __half As[16][16], Bs[16][16];
    __shared__ __align__(32) float Cs[16][16];
    const int row0 = blockIdx.y * 16, col0 = blockIdx.x * 16;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(sum, 0.0f);
    for (int k0 = 0; k0 < K; k0 += 16) {
        for (int e = threadIdx.x; e < 256; e += 32) {
            const int i = e / 16, j = e % 16;
            As[i][j] = __float2half(row0 + i < M && k0 + j < K ? A[(row0 + i) * K + k0 + j] : 0.0f);
            Bs[i][j] = __float2half(k0 + i < K && col0 + j < N ? B[(k0 + i) * N + col0 + j] : 0.0f);
        }
        __syncwarp();
        wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a;
        wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> b;
        wmma::load_matrix_sync(a, &As[0][0], 16);
        wmma::load_matrix_sync(b, &Bs[0][0], 16);
        wmma::mma_sync(sum, a, b, sum);
        __syncwarp();
    }
    wmma::store_matrix_sync(&Cs[0][0], sum, 16, wmma::mem_row_major);
    __syncwarp();
    for (int e = threadIdx.x; e < 256; e += 32)
        if (row0 + e / 16 < M && col0 + e % 16 < N) C[(row0 + e / 16) * N + col0 + e % 16] = Cs[e / 16][e % 16];
}
