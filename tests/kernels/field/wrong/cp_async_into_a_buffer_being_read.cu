// bug: the copy of the next tile but one starts before everybody is done with the buffer it goes to
// expect: race
// diag: WAR: two stages, the copy is issued right after the wait, in front of the barrier
// says: may overwrite; still reads it; write after read
// block: 16,16
// grid: cdiv(N,16),cdiv(M,16)
// smem: 0
// shape_fail: 16,16,64
// shape_pass: 16,16,16
// at_pass: ok (one K tile)
#include <cuda_pipeline.h>

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float As[2][16][16], Bs[2][16][16];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    auto issue = [&](int s, int k0) {
        const bool a = row < M && k0 + tx < K, b = k0 + ty < K && col < N;
        __pipeline_memcpy_async(&As[s][ty][tx], a ? A + row * K + k0 + tx : A, 4, a ? 0 : 4);
        __pipeline_memcpy_async(&Bs[s][ty][tx], b ? B + (k0 + ty) * N + col : B, 4, b ? 0 : 4);
        __pipeline_commit();
    };
    float acc = 0.0f;
    issue(0, 0);
    for (int k0 = 0, s = 0; k0 < K; k0 += 16, s ^= 1) {
        __pipeline_wait_prior(0);
        if (k0 + 16 < K) issue(s ^ 1, k0 + 16);
        __syncthreads();
        for (int k = 0; k < 16; ++k) acc += As[s][ty][k] * Bs[s][k][tx];
    }
    if (row < M && col < N) C[row * N + col] = acc;
}
