// bug: the wait leaves one group in flight, and the tile to be used is in that group
// expect: race
// diag: __pipeline_wait_prior(1) with a single group outstanding waits for nothing
// says: has not been waited for
// block: 16,16
// grid: cdiv(N,16),cdiv(M,16)
// smem: 0
// shape_fail: 16,16,32
// shape_pass: none
// at_pass: race at every shape
#include <cuda_pipeline.h>

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float As[2][16][16], Bs[2][16][16];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    float acc = 0.0f;
    auto issue = [&](int s, int k0) {
        const bool a = row < M && k0 + tx < K, b = k0 + ty < K && col < N;
        __pipeline_memcpy_async(&As[s][ty][tx], a ? A + row * K + k0 + tx : A, 4, a ? 0 : 4);
        __pipeline_memcpy_async(&Bs[s][ty][tx], b ? B + (k0 + ty) * N + col : B, 4, b ? 0 : 4);
        __pipeline_commit();
    };
    issue(0, 0);
    for (int k0 = 0, s = 0; k0 < K; k0 += 16, s ^= 1) {
        if (k0 + 16 < K) issue(s ^ 1, k0 + 16);
        __pipeline_wait_prior(1);
        __syncthreads();
        for (int k = 0; k < 16; ++k) acc += As[s][ty][k] * Bs[s][k][tx];
        __syncthreads();
    }
    if (row < M && col < N) C[row * N + col] = acc;
}
