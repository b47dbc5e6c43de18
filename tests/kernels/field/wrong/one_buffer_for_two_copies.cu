// bug: the buffer's number is never advanced: every copy goes into stage 0 while stage 0 is read
// expect: race
// diag: cp.async into the buffer in use, one group in flight
// says: As
// block: 16,16
// grid: cdiv(N,16),cdiv(M,16)
// smem: 0
// shape_fail: 16,16,48
// shape_pass: none
// at_pass: race at every shape
#include <cuda_pipeline.h>

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float As[2][16][16], Bs[2][16][16];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    const int tiles = (K + 15) / 16;
    float acc = 0.0f;
    auto issue = [&](int s, int t) {
        const bool a = row < M && t * 16 + tx < K, b = t * 16 + ty < K && col < N;
        __pipeline_memcpy_async(&As[s][ty][tx], a ? A + row * K + t * 16 + tx : A, 4, a ? 0 : 4);
        __pipeline_memcpy_async(&Bs[s][ty][tx], b ? B + (t * 16 + ty) * N + col : B, 4, b ? 0 : 4);
        __pipeline_commit();
    };
    issue(0, 0);
    for (int t = 0, s = 0; t < tiles; ++t) {
        if (t + 1 < tiles) issue(s, t + 1);
        __pipeline_wait_prior(t + 1 < tiles ? 1 : 0);
        __syncthreads();
        for (int k = 0; k < 16; ++k) acc += As[s][ty][k] * Bs[s][k][tx];
        __syncthreads();
    }
    if (row < M && col < N) C[row * N + col] = acc;
}
