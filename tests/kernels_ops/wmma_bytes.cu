// shape: 32,32,32
// block: 32
// grid: N//16,M//16
// inputs: integer
// compare: bits
#include <mma.h>
using namespace nvcuda;

template <class Byte, int Rows, int Cols, class LayoutA, class LayoutB>
__device__ void add(const Byte* as, const Byte* bs, int* cs)
{
    wmma::fragment<wmma::matrix_a, Rows, Cols, 16, Byte, LayoutA> a;
    wmma::fragment<wmma::matrix_b, Rows, Cols, 16, Byte, LayoutB> b;
    wmma::fragment<wmma::accumulator, Rows, Cols, 16, int> sum;
    wmma::load_matrix_sync(sum, cs, 32, wmma::mem_row_major);
    wmma::load_matrix_sync(a, as, 32);
    wmma::load_matrix_sync(b, bs, 32);
    wmma::mma_sync(sum, a, b, sum);
    wmma::store_matrix_sync(cs, sum, 32, wmma::mem_row_major);
    __syncwarp();
}

// Each block makes the product of its corner in one of four ways; cs holds 32×32, of which a shape fills a part.
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ __align__(32) signed char as[32][32], bs[32][32];
    __shared__ __align__(32) unsigned char ua[32][32], ub[32][32];
    __shared__ __align__(32) int cs[32][32];
    const int lane = threadIdx.x, way = blockIdx.y * 2 + blockIdx.x, row = blockIdx.y * 16, col = blockIdx.x * 16;
    for (int k0 = 0; k0 < K; k0 += 16) {
        for (int e = lane; e < 32 * 32; e += 32) {
            const int i = e / 32, j = e % 32;
            const bool by_column = way == 1;
            const float a = j < 16 ? A[(row + i) % 32 * K + k0 + j] : 0.0f, b = i < 16 ? B[(k0 + i) * N + (col + j) % 32] : 0.0f;
            if (by_column) as[j][i] = (signed char)a, bs[j][i] = (signed char)b;
            else as[i][j] = (signed char)a, bs[i][j] = (signed char)b;
            ua[i][j] = (unsigned char)(a + 100.0f);
            ub[i][j] = (unsigned char)(b + 100.0f);
            if (k0 == 0) cs[i][j] = 0;
        }
        __syncwarp();
        if (way == 0) add<signed char, 16, 16, wmma::row_major, wmma::row_major>(as[0], bs[0], cs[0]);
        if (way == 1) add<signed char, 32, 8, wmma::col_major, wmma::col_major>(as[0], bs[0], cs[0]);
        if (way == 1) add<signed char, 32, 8, wmma::col_major, wmma::col_major>(as[0], bs[8], cs[0] + 8);
        if (way == 2) add<signed char, 8, 32, wmma::row_major, wmma::row_major>(as[0], bs[0], cs[0]);
        if (way == 2) add<signed char, 8, 32, wmma::row_major, wmma::row_major>(as[8], bs[0], cs[8]);
        if (way == 3) add<unsigned char, 16, 16, wmma::row_major, wmma::row_major>(ua[0], ub[0], cs[0]);
    }
    for (int e = lane; e < 256; e += 32) C[(row + e / 16) * N + col + e % 16] = (float)cs[e / 16][e % 16];
}
