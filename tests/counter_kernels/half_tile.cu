// The tiles hold __half, 2 bytes: two neighbours share a word of a bank.
// block: 16,16
// grid: cdiv(N,16),cdiv(M,16)
// shape: 48,64,32
#include <cuda_fp16.h>
#define TILE 16

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ __half As[TILE][TILE];
    __shared__ __half Bs[TILE][TILE + 1];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
    float acc = 0.0f;
    for (int k0 = 0; k0 < K; k0 += TILE) {
        As[ty][tx] = __float2half((row < M && k0 + tx < K) ? A[row * K + k0 + tx] : 0.0f);
        Bs[ty][tx] = __float2half((k0 + ty < K && col < N) ? B[(k0 + ty) * N + col] : 0.0f);
        __syncthreads();
#pragma unroll 1
        for (int k = 0; k < TILE; ++k) acc += __half2float(As[ty][k]) * __half2float(Bs[k][tx]);
        __syncthreads();
    }
    if (row < M && col < N) C[row * N + col] = acc;
}
