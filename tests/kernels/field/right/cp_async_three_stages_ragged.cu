// bug: none - a ring of three stages, a commit every turn so that the wait can always leave one group in flight
// expect: ok
// diag: no error finding at any shape
// block: 16,16
// grid: cdiv(N,16),cdiv(M,16)
// smem: 0
// shape_fail: none
// shape_pass: 33,47,61; 16,16,16; 7,5,40
// at_pass: ok
#include <cuda_pipeline.h>
constexpr int TILE = 16, STAGES = 3;

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float As[STAGES][TILE][TILE + 1], Bs[STAGES][TILE][TILE];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
    const int tiles = (K + TILE - 1) / TILE;
    float acc = 0.0f;

    auto start = [&](int t) {
        if (t < tiles) {
            const int ka = t * TILE + tx, kb = t * TILE + ty, s = t % STAGES;
            const size_t no_a = row < M && ka < K ? 0 : 4, no_b = kb < K && col < N ? 0 : 4;
            __pipeline_memcpy_async(&As[s][ty][tx], no_a ? A : A + row * K + ka, 4, no_a);
            __pipeline_memcpy_async(&Bs[s][ty][tx], no_b ? B : B + kb * N + col, 4, no_b);
        }
        __pipeline_commit();
    };
    start(0);
    start(1);
    for (int t = 0; t < tiles; ++t) {
        __pipeline_wait_prior(1);
        __syncthreads();
        start(t + 2);
        const int s = t % STAGES;
#pragma unroll
        for (int k = 0; k < TILE; ++k) acc = fmaf(As[s][ty][k], Bs[s][k][tx], acc);
    }
    if (row < M && col < N) C[row * N + col] = acc;
}
