// Asynchronous copies of single floats into two stages of 32 by 32 tiles; what lies outside is filled with zeros.
// block: 32,8
// grid: cdiv(N,32),cdiv(M,32)
#include <cuda_pipeline.h>
#define TILE 32

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float As[2][TILE][TILE], Bs[2][TILE][TILE];
    const int tx = threadIdx.x, ty = threadIdx.y, top = blockIdx.y * TILE, col = blockIdx.x * TILE + tx;
    const int tiles = (K + TILE - 1) / TILE;
    float sums[4] = {};
    for (int tile = 0; tile <= tiles; ++tile) {
        if (tile < tiles) {
            const int stage = tile % 2, k0 = tile * TILE;
            for (int y = ty; y < TILE; y += 8) {
                const bool a_in = top + y < M && k0 + tx < K, b_in = k0 + y < K && col < N;
                __pipeline_memcpy_async(&As[stage][y][tx], a_in ? &A[(top + y) * K + k0 + tx] : A, 4, a_in ? 0 : 4);
                __pipeline_memcpy_async(&Bs[stage][y][tx], b_in ? &B[(k0 + y) * N + col] : B, 4, b_in ? 0 : 4);
            }
        }
        __pipeline_commit();
        if (tile == 0) continue;
        __pipeline_wait_prior(1);
        __syncthreads();
        const int stage = (tile - 1) % 2;
#pragma unroll
        for (int k = 0; k < TILE; ++k) {
            const float b = Bs[stage][k][tx];
#pragma unroll
            for (int i = 0; i < 4; ++i) sums[i] += As[stage][ty + 8 * i][k] * b;
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; ++i)
        if (top + ty + 8 * i < M && col < N) C[(top + ty + 8 * i) * N + col] = sums[i];
}
