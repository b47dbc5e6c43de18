// bug: none - the barriers are those of a cooperative group
// expect: ok
// diag: no error finding at any shape
// block: 16,16
// grid: cdiv(N,16),cdiv(M,16)
// smem: 0
// shape_fail: none
// shape_pass: 33,47,29; 16,16,16
// at_pass: ok
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    cg::thread_block block = cg::this_thread_block();
    __shared__ float As[16][16], Bs[16][16];
    const dim3 t = block.thread_index(), b = block.group_index();
    const int row = b.y * 16 + t.y, col = b.x * 16 + t.x;
    float acc = 0.0f;
    for (int k0 = 0; k0 < K; k0 += 16) {
        As[t.y][t.x] = row < M && k0 + t.x < K ? A[row * K + k0 + t.x] : 0.0f;
        Bs[t.y][t.x] = k0 + t.y < K && col < N ? B[(k0 + t.y) * N + col] : 0.0f;
        block.sync();
        for (int k = 0; k < 16; ++k) acc += As[t.y][k] * Bs[k][t.x];
        cg::sync(block);
    }
    if (row < M && col < N) C[row * N + col] = acc;
}
