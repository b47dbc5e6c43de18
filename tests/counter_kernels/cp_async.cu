// Two stages: the next pair of tiles is copied by cp.async while this one is multiplied. Sizes are multiples of 16.
// block: 16,16
// grid: cdiv(N,16),cdiv(M,16)
// shape: 64,64,64
#include <cuda_pipeline.h>
#define TILE 16

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float As[2][TILE][TILE];
    __shared__ float Bs[2][TILE][TILE];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
    __pipeline_memcpy_async(&As[0][ty][tx], &A[row * K + tx], 4);
    __pipeline_memcpy_async(&Bs[0][ty][tx], &B[ty * N + col], 4);
    __pipeline_commit();
    float acc = 0.0f;
    for (int k0 = 0, stage = 0; k0 < K; k0 += TILE, stage ^= 1) {
        if (k0 + TILE < K) {
            __pipeline_memcpy_async(&As[stage ^ 1][ty][tx], &A[row * K + k0 + TILE + tx], 4);
            __pipeline_memcpy_async(&Bs[stage ^ 1][ty][tx], &B[(k0 + TILE + ty) * N + col], 4);
        }
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        for (int k = 0; k < TILE; ++k) acc += As[stage][ty][k] * Bs[stage][k][tx];
        __syncthreads();
    }
    C[row * N + col] = acc;
}
