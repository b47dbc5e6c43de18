// bug: none - groups of eight lanes reduce a dot product with shfl_down of their tile
// expect: ok
// diag: no error finding at any shape
// block: 8,16
// grid: N,cdiv(M,16)
// smem: 0
// shape_fail: none
// shape_pass: 17,5,20; 16,2,64
// at_pass: ok
#include <cooperative_groups.h>

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    namespace cg = cooperative_groups;
    auto eight = cg::tiled_partition<8>(cg::this_thread_block());
    const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x;
    float sum = 0.0f;
    for (int k = eight.thread_rank(); k < K && row < M; k += eight.size()) sum += A[row * K + k] * B[k * N + col];
    for (int d = eight.size() / 2; d > 0; d /= 2) sum += eight.shfl_down(sum, d);
    if (eight.thread_rank() == 0 && row < M) C[row * N + col] = sum;
}
