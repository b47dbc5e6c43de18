// shape: 8,64,64
// block: 64
// grid: 1,M
// inputs: integer
// compare: bits
// rows: token arrive_and_wait parity drop primitives copies one_a_warp two_objects
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda_awbarrier_primitives.h>
#include <cuda_pipeline.h>

using Barrier = cuda::barrier<cuda::thread_scope_block>;

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ Barrier first, second;
    __shared__ __mbarrier_t plain;
    __shared__ __align__(16) float s[64];
    const int row = blockIdx.y, tid = threadIdx.x;
    if (tid == 0) {
        init(&first, row == 6 ? 2 : 64);
        init(&second, 64);
        __mbarrier_init(&plain, 64);
    }
    __syncthreads();
    float x = A[row * K + tid];
    for (int turn = 0; turn < 3; ++turn) {
        if (row == 0) {
            s[tid] = x;
            auto token = first.arrive();
            first.wait(static_cast<Barrier::arrival_token&&>(token));
        } else if (row == 2) {
            s[tid] = x;
            (void)first.arrive();
            first.wait_parity(0);
        } else if (row == 4) {
            s[tid] = x;
            const auto token = __mbarrier_arrive(&plain);
            while (!__mbarrier_test_wait(&plain, token)) {}
        } else if (row == 5) {
            __pipeline_memcpy_async(&s[tid], &A[row * K + (tid + turn) % 64], 4);
            __pipeline_arrive_on(&plain);
            const auto token = __mbarrier_arrive(&plain);
            while (!__mbarrier_test_wait(&plain, token)) {}
        } else if (row == 6) {
            s[tid] = x;
            __syncwarp();
            if (tid % 32 == 0) (void)first.arrive();
            first.wait_parity(turn % 2);
        } else {
            s[tid] = x;
            first.arrive_and_wait();
        }
        x = s[63 - tid] + turn;
        if (row == 2) {
            (void)first.arrive();
            first.wait_parity(1);
        } else if (row == 4 || row == 5) {
            const auto token = __mbarrier_arrive(&plain);
            while (!__mbarrier_test_wait(&plain, token)) {}
        } else {
            second.arrive_and_wait();
        }
    }
    if (row == 3) {
        // the upper warp takes its leave of the first object, and the lower one uses it alone
        if (tid >= 32) first.arrive_and_drop();
        else first.arrive_and_wait();
        if (tid < 32) {
            s[tid] = x;
            first.arrive_and_wait();
            x = s[31 - tid];
        }
    }
    C[row * N + tid] = x;
}
