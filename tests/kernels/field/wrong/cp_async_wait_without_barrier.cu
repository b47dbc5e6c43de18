// bug: each thread waits for its own copies, and nobody for those of the others
// expect: race
// diag: RAW: a wait group orders a thread's own copies only
// says: __syncthreads()
// block: 16,16
// grid: cdiv(N,16),cdiv(M,16)
// smem: 0
// shape_fail: 16,16,16
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
        const bool a = row < M && k0 + tx < K, b = k0 + ty < K && col < N;
        __pipeline_memcpy_async(&As[ty][tx], a ? A + row * K + k0 + tx : A, 4, a ? 0 : 4);
        __pipeline_memcpy_async(&Bs[ty][tx], b ? B + (k0 + ty) * N + col : B, 4, b ? 0 : 4);
        __pipeline_commit();
        __pipeline_wait_prior(0);
        for (int k = 0; k < 16; ++k) acc += As[ty][k] * Bs[k][tx];
        __syncthreads();
    }
    if (row < M && col < N) C[row * N + col] = acc;
}
