// bug: none - the last turn starts a copy of a tile that nobody will use, and the block ends before it is there
// expect: ok
// diag: no error finding at any shape
// block: 16,16
// grid: cdiv(N,16),cdiv(M,16)
// smem: 0
// shape_fail: none
// shape_pass: 33,47,61; 48,32,16; 7,5,40
// at_pass: ok
#include <cuda_pipeline.h>
#define TILE 16

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float As[2][TILE][TILE], Bs[2][TILE][TILE];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
    float acc = 0.0f;
    auto start = [&](int s, int k0) {
        const bool a = row < M && k0 + tx < K, b = k0 + ty < K && col < N;
        __pipeline_memcpy_async(&As[s][ty][tx], a ? A + row * K + k0 + tx : A, 4, a ? 0 : 4);
        __pipeline_memcpy_async(&Bs[s][ty][tx], b ? B + (k0 + ty) * N + col : B, 4, b ? 0 : 4);
        __pipeline_commit();
    };
    start(0, 0);
    for (int k0 = 0, s = 0; k0 < K; k0 += TILE, s ^= 1) {
        start(s ^ 1, k0 + TILE);
        __pipeline_wait_prior(1);
        __syncthreads();
        for (int k = 0; k < TILE; ++k) acc += As[s][ty][k] * Bs[s][k][tx];
        __syncthreads();
    }
    if (row < M && col < N) C[row * N + col] = acc;
}
