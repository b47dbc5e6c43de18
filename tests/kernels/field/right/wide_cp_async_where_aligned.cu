// bug: none - sixteen bytes a copy where 4 divides K, four bytes where it does not, zeros by the copy itself
// expect: ok
// diag: no error finding at any shape
// block: 16,16
// grid: cdiv(N,16),cdiv(M,16)
// smem: 0
// shape_fail: none
// shape_pass: 33,47,32; 33,47,29; 16,16,4
// at_pass: ok
#include <cuda_pipeline.h>

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ __align__(16) float As[16][16], Bs[16][16];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    float acc = 0.0f;
    for (int k0 = 0; k0 < K; k0 += 16) {
        if (K % 4 == 0) {
            const int k = k0 + 4 * tx;
            const bool there = row < M && k < K;
            if (tx < 4) __pipeline_memcpy_async(&As[ty][4 * tx], there ? A + row * K + k : A, 16, there ? 0 : 16);
        } else {
            const bool there = row < M && k0 + tx < K;
            __pipeline_memcpy_async(&As[ty][tx], there ? A + row * K + k0 + tx : A, 4, there ? 0 : 4);
        }
        const bool there = k0 + ty < K && col < N;
        __pipeline_memcpy_async(&Bs[ty][tx], there ? B + (k0 + ty) * N + col : B, 4, there ? 0 : 4);
        __pipeline_commit();
        __pipeline_wait_prior(0);
        __syncthreads();
        for (int k = 0; k < 16; ++k) acc += As[ty][k] * Bs[k][tx];
        __syncthreads();
    }
    if (row < M && col < N) C[row * N + col] = acc;
}
