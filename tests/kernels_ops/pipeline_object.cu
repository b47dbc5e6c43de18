// shape: 32,48,64
// block: 16,16
// grid: N//16,M//16
// inputs: integer
// compare: bits
#include <cooperative_groups.h>
#include <cuda/pipeline>

constexpr int STAGES = 3;

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ __align__(16) float As[STAGES][16][16], Bs[STAGES][16][16];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES> state;
    auto block = cooperative_groups::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    auto fetch = [&](int k0) {
        const int stage = k0 / 16 % STAGES;
        pipe.producer_acquire();
        cuda::memcpy_async(&As[stage][ty][tx], A + row * K + k0 + tx, sizeof(float), pipe);
        cuda::memcpy_async(&Bs[stage][ty][tx], B + (k0 + ty) * N + col, sizeof(float), pipe);
        pipe.producer_commit();
    };
    for (int k0 = 0; k0 < (STAGES - 1) * 16 && k0 < K; k0 += 16) fetch(k0);
    float acc = 0.0f;
    for (int k0 = 0; k0 < K; k0 += 16) {
        if (k0 + (STAGES - 1) * 16 < K) fetch(k0 + (STAGES - 1) * 16);
        const int stage = k0 / 16 % STAGES;
        pipe.consumer_wait();
        for (int k = 0; k < 16; ++k) acc += As[stage][ty][k] * Bs[stage][k][tx];
        pipe.consumer_release();
    }
    C[row * N + col] = acc;
}
