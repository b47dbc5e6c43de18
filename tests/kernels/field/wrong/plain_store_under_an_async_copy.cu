// bug: the zero for a slot outside is stored by hand while the copy of another thread into that slot is in flight
// expect: race
// diag: the copy may land after the zero, or the zero after the copy
// says: As
// block: 16,16
// grid: cdiv(N,16),cdiv(M,16)
// smem: 0
// shape_fail: 16,16,20
// shape_pass: none
// at_pass: race at every shape
#include <cuda_pipeline.h>

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float As[16][16], Bs[16][16];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    float acc = 0.0f;
    for (int k0 = 0; k0 < K; k0 += 16) {
        const int ka = min(k0 + tx, K - 1);
        __pipeline_memcpy_async(&As[ty][tx], A + min(row, M - 1) * K + ka, 4);
        __pipeline_commit();
        if (k0 + 15 - tx >= K) As[ty][15 - tx] = 0.0f;
        Bs[ty][tx] = k0 + ty < K && col < N ? B[(k0 + ty) * N + col] : 0.0f;
        __pipeline_wait_prior(0);
        __syncthreads();
        for (int k = 0; k < 16; ++k) acc += As[ty][k] * Bs[k][tx];
        __syncthreads();
    }
    if (row < M && col < N) C[row * N + col] = acc;
}
