// bug: none - two stages of 4-byte asynchronous copies; what lies outside is filled with zeros by the copy itself
// expect: ok
// diag: no error finding at any shape
// block: 16,16
// grid: cdiv(N,16),cdiv(M,16)
// smem: 0
// shape_fail: none
// shape_pass: 33,47,29; 16,16,48; 3,2,1
// at_pass: ok
#include <cuda_pipeline.h>
#define TILE 16

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float As[2][TILE][TILE], Bs[2][TILE][TILE];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
    auto copy = [&](int stage, int k0) {
        const bool a = row < M && k0 + tx < K, b = k0 + ty < K && col < N;
        __pipeline_memcpy_async(&As[stage][ty][tx], a ? &A[row * K + k0 + tx] : A, 4, a ? 0 : 4);
        __pipeline_memcpy_async(&Bs[stage][ty][tx], b ? &B[(k0 + ty) * N + col] : B, 4, b ? 0 : 4);
        __pipeline_commit();
    };
    float acc = 0.0f;
    copy(0, 0);
    int stage = 0;
    for (int k0 = 0; k0 < K; k0 += TILE) {
        if (k0 + TILE < K) {
            copy(stage ^ 1, k0 + TILE);
            __pipeline_wait_prior(1);
        } else {
            __pipeline_wait_prior(0);
        }
        __syncthreads();
        for (int k = 0; k < TILE; ++k) acc += As[stage][ty][k] * Bs[stage][k][tx];
        __syncthreads();
        stage ^= 1;
    }
    if (row < M && col < N) C[row * N + col] = acc;
}
