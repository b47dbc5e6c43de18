// shape: 16,128,64
// block: 256
// grid: 1,M
// inputs: integer
// compare: bits
#include <cooperative_groups.h>
#include <cuda/pipeline>

// The lower half of the block copies rows of B, the upper half adds them up.
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float Bs[2][128];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto block = cooperative_groups::this_thread_block();
    const bool copies = threadIdx.x < 128;
    const int col = threadIdx.x % 128;
    auto pipe = cuda::make_pipeline(block, &state, copies ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
    float acc = 0.0f;
    for (int k = 0; k < K; ++k) {
        if (copies) {
            pipe.producer_acquire();
            cuda::memcpy_async(&Bs[k % 2][col], &B[k * N + col], sizeof(float), pipe);
            pipe.producer_commit();
        } else {
            pipe.consumer_wait();
            acc += A[blockIdx.y * K + k] * Bs[k % 2][127 - col];
            pipe.consumer_release();
        }
    }
    if (!copies) C[blockIdx.y * N + col] = acc;
}
