// rows: a_row a_col b_row b_col c c_half a_bf16 b_bf16 a_tf32 b_tf32 c_tf32 a_m32 b_m32 c_m32 a_m8 b_m8 c_m8
// shape: 17,512,16
// block: 32
// grid: 1,M
// inputs: unit
// compare: bits
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

// Element i of a lane's fragment, as its place in memory; -1 where the fragment has fewer than 16 elements.
template <class Fragment>
__device__ void show(const Fragment& fragment, float* C)
{
    for (int i = 0; i < 16; ++i) C[threadIdx.x * 16 + i] = i < fragment.num_elements ? (float)fragment.x[i] : -1.0f;
}

template <class Use, int M, int N, int K, class T, class Layout, class Stored>
__device__ void input(const Stored* numbers, int ld, float* C)
{
    wmma::fragment<Use, M, N, K, T, Layout> fragment;
    wmma::load_matrix_sync(fragment, numbers, ld);
    show(fragment, C);
}

template <int M, int N, int K, class T>
__device__ void output(const T* numbers, float* C)
{
    wmma::fragment<wmma::accumulator, M, N, K, T> fragment;
    wmma::load_matrix_sync(fragment, numbers, N, wmma::mem_row_major);
    show(fragment, C);
}

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    using wmma::col_major;
    using wmma::matrix_a;
    using wmma::matrix_b;
    using wmma::row_major;
    __shared__ __align__(32) __half halves[512];
    __shared__ __align__(32) __nv_bfloat16 bfloats[256];
    __shared__ __align__(32) float floats[256];
    for (int i = threadIdx.x; i < 512; i += 32) {
        halves[i] = __int2half_rn(i);
        if (i < 256) bfloats[i] = __float2bfloat16((float)i), floats[i] = i;
    }
    __syncwarp();
    C += blockIdx.y * N;
    switch (blockIdx.y) {
    case 0: input<matrix_a, 16, 16, 16, __half, row_major>(halves, 16, C); break;
    case 1: input<matrix_a, 16, 16, 16, __half, col_major>(halves, 16, C); break;
    case 2: input<matrix_b, 16, 16, 16, __half, row_major>(halves, 16, C); break;
    case 3: input<matrix_b, 16, 16, 16, __half, col_major>(halves, 16, C); break;
    case 4: output<16, 16, 16>(floats, C); break;
    case 5: output<16, 16, 16>(halves, C); break;
    case 6: input<matrix_a, 16, 16, 16, __nv_bfloat16, row_major>(bfloats, 16, C); break;
    case 7: input<matrix_b, 16, 16, 16, __nv_bfloat16, row_major>(bfloats, 16, C); break;
    case 8: input<matrix_a, 16, 16, 8, wmma::precision::tf32, row_major>(floats, 8, C); break;
    case 9: input<matrix_b, 16, 16, 8, wmma::precision::tf32, row_major>(floats, 16, C); break;
    case 10: output<16, 16, 8>(floats, C); break;
    case 11: input<matrix_a, 32, 8, 16, __half, row_major>(halves, 16, C); break;
    case 12: input<matrix_b, 32, 8, 16, __half, row_major>(halves, 8, C); break;
    case 13: output<32, 8, 16>(floats, C); break;
    case 14: input<matrix_a, 8, 32, 16, __half, row_major>(halves, 16, C); break;
    case 15: input<matrix_b, 8, 32, 16, __half, row_major>(halves, 32, C); break;
    default: output<8, 32, 16>(floats, C);
    }
}
