// Four stages filled by cp.async, a float at a time where it must be, 16 bytes where rows allow it. 64 by 64, 8 deep.
// block: 128
// grid: cdiv(N,64),cdiv(M,64)
#include <cuda_pipeline.h>
#define STAGES 4
extern "C" __global__ void gemm(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N,
                                int K)
{
    __shared__ __align__(16) float As[STAGES][64][8], Bs[STAGES][8][64];
    const int t = threadIdx.x, tx = t % 8, ty = t / 8, top = blockIdx.y * 64, left = blockIdx.x * 64;
    const int steps = (K + 7) / 8;
    float acc[4][8] = {};
    auto fill = [&](int step) {
        const int s = step % STAGES, k0 = step * 8;
        if (step < steps) {
            if (K % 4 == 0 && N % 4 == 0) {
                const int r = t / 2, k = t % 2 * 4, p = t / 16, c = t % 16 * 4;
                const bool ia = top + r < M && k0 + k < K, ib = k0 + p < K && left + c < N;
                __pipeline_memcpy_async(&As[s][r][k], ia ? &A[(top + r) * K + k0 + k] : A, 16, ia ? 0 : 16);
                __pipeline_memcpy_async(&Bs[s][p][c], ib ? &B[(k0 + p) * N + left + c] : B, 16, ib ? 0 : 16);
            } else {
                for (int i = t; i < 512; i += 128) {
                    const int r = i / 8, k = i % 8, p = i / 64, c = i % 64;
                    const bool ia = top + r < M && k0 + k < K, ib = k0 + p < K && left + c < N;
                    __pipeline_memcpy_async(&As[s][r][k], ia ? &A[(top + r) * K + k0 + k] : A, 4, ia ? 0 : 4);
                    __pipeline_memcpy_async(&Bs[s][p][c], ib ? &B[(k0 + p) * N + left + c] : B, 4, ib ? 0 : 4);
                }
            }
        }
        __pipeline_commit();
    };
    for (int s = 0; s < STAGES - 1; ++s) fill(s);
    for (int step = 0; step < steps; ++step) {
        __pipeline_wait_prior(STAGES - 2);
        __syncthreads();
        fill(step + STAGES - 1);
        const int s = step % STAGES;
#pragma unroll
        for (int k = 0; k < 8; ++k)
#pragma unroll
            for (int i = 0; i < 4; ++i)
#pragma unroll
                for (int j = 0; j < 8; ++j) acc[i][j] += As[s][ty * 4 + i][k] * Bs[s][k][tx + 8 * j];
    }
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 8; ++j)
            if (top + ty * 4 + i < M && left + tx + 8 * j < N) C[(top + ty * 4 + i) * N + left + tx + 8 * j] = acc[i][j];
}
