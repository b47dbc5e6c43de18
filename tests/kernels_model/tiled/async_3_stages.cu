// Asynchronous copies into three stages: two tiles are under way while one is multiplied.
// block: 256
// grid: N//64,M//64
// multiples: 64,64,16
#include <cuda_pipeline.h>
#define BLOCK 64
#define BK 16
#define STAGES 3

extern "C" __global__ void __launch_bounds__(256) gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ __align__(16) float As[STAGES][BLOCK][BK], Bs[STAGES][BK][BLOCK];
    const int thread = threadIdx.x, x = thread % 16, y = thread / 16;
    const float* a_from = A + (blockIdx.y * BLOCK + thread / 4) * K + thread % 4 * 4;
    const float* b_from = B + thread / 16 * N + blockIdx.x * BLOCK + thread % 16 * 4;
    const int tiles = K / BK;
    float sums[4][4] = {};
    auto fetch = [&](int tile) {
        if (tile < tiles) {
            __pipeline_memcpy_async(&As[tile % STAGES][thread / 4][thread % 4 * 4], a_from + tile * BK, 16);
            __pipeline_memcpy_async(&Bs[tile % STAGES][thread / 16][thread % 16 * 4], b_from + tile * BK * N, 16);
        }
        __pipeline_commit();
    };
    for (int tile = 0; tile < STAGES - 1; ++tile) fetch(tile);
    for (int tile = 0; tile < tiles; ++tile) {
        __pipeline_wait_prior(STAGES - 2);
        __syncthreads();
        fetch(tile + STAGES - 1);
        const int stage = tile % STAGES;
#pragma unroll
        for (int k = 0; k < BK; ++k) {
            const float4 b = *reinterpret_cast<const float4*>(&Bs[stage][k][x * 4]);
            const float bs[4] = {b.x, b.y, b.z, b.w};
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                const float a = As[stage][y * 4 + i][k];
#pragma unroll
                for (int j = 0; j < 4; ++j) sums[i][j] += a * bs[j];
            }
        }
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) {
#pragma unroll
        for (int j = 0; j < 4; ++j) C[(blockIdx.y * BLOCK + y * 4 + i) * N + blockIdx.x * BLOCK + x * 4 + j] = sums[i][j];
    }
}
