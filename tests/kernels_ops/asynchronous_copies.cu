// shape: 16,64,40
// block: 64
// grid: 1,M
// inputs: unit
// compare: 1e-5
#include <cuda_pipeline.h>
#define STAGE 16

__device__ void copy4(float* to, const float* from, bool inside)
{
    unsigned address = (unsigned)__cvta_generic_to_shared(to);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(address), "l"(from), "r"(inside ? 4 : 0));
}

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ __align__(16) float As[2][STAGE];
    __shared__ __align__(16) float Bs[2][STAGE][64];
    int row = blockIdx.y, tid = threadIdx.x, stages = (K + STAGE - 1) / STAGE;
    auto fetch = [&](int stage) {
        int k0 = stage * STAGE, buffer = stage % 2;
        if (tid < STAGE) copy4(&As[buffer][tid], k0 + tid < K ? A + row * K + k0 + tid : A, k0 + tid < K);
        for (int i = tid; i < STAGE * 16; i += 64) {
            int k = i / 16, c = i % 16 * 4;
            bool inside = k0 + k < K;
            __pipeline_memcpy_async(&Bs[buffer][k][c], B + (inside ? (k0 + k) * N + c : 0), 16, inside ? 0 : 16);
        }
        __pipeline_commit();
    };
    fetch(0);
    float acc = 0;
    for (int stage = 0; stage < stages; ++stage) {
        if (stage + 1 < stages) {
            fetch(stage + 1);
            __pipeline_wait_prior(1);
        } else {
            asm volatile("cp.async.wait_all;" ::: "memory");
        }
        __syncthreads();
        for (int k = 0; k < STAGE; ++k) acc += As[stage % 2][k] * Bs[stage % 2][k][tid];
        __syncthreads();
    }
    C[row * N + tid] = acc;
}
