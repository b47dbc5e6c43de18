// Two stages of tiles of 32 by 32, filled by cp.async of single floats; 32 by 8 threads, four rows each.
// block: 32,8
// grid: cdiv(N,32),cdiv(M,32)
#include <cuda_pipeline.h>
extern "C" __global__ void gemm(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N,
                                int K)
{
    __shared__ float As[2][32][32], Bs[2][32][32];
    const int tx = threadIdx.x, ty = threadIdx.y, top = blockIdx.y * 32, col = blockIdx.x * 32 + tx;
    float acc[4] = {};
    auto ask = [&](int s, int k0) {
        for (int y = ty; y < 32; y += 8) {
            const bool ia = top + y < M && k0 + tx < K, ib = k0 + y < K && col < N;
            __pipeline_memcpy_async(&As[s][y][tx], ia ? &A[(top + y) * K + k0 + tx] : A, 4, ia ? 0 : 4);
            __pipeline_memcpy_async(&Bs[s][y][tx], ib ? &B[(k0 + y) * N + col] : B, 4, ib ? 0 : 4);
        }
        __pipeline_commit();
    };
    ask(0, 0);
    for (int k0 = 0, s = 0; k0 < K; k0 += 32, s = 1 - s) {
        if (k0 + 32 < K) {
            ask(1 - s, k0 + 32);
            __pipeline_wait_prior(1);
        } else {
            __pipeline_wait_prior(0);
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 32; ++k)
            for (int i = 0; i < 4; ++i) acc[i] += As[s][ty + 8 * i][k] * Bs[s][k][tx];
        __syncthreads();
    }
    for (int i = 0; i < 4; ++i)
        if (top + ty + 8 * i < M && col < N) C[(top + ty + 8 * i) * N + col] = acc[i];
}
