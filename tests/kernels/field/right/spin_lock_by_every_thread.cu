// bug: none - every lane takes the lock in turn, which needs lanes of a warp to go on independently
// expect: ok
// diag: no error finding at any shape
// block: 32
// grid: N,M
// smem: 0
// shape_fail: none
// shape_pass: 2,3,40; 1,1,32
// at_pass: ok
__device__ void enter(int* lock)
{
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    __threadfence_block();
}

__device__ void leave(int* lock)
{
    __threadfence_block();
    atomicExch(lock, 0);
}

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ volatile float sum;
    __shared__ int lock;
    if (threadIdx.x == 0) {
        sum = 0.0f;
        lock = 0;
    }
    __syncthreads();
    float mine = 0.0f;
    for (int k = threadIdx.x; k < K; k += 32) mine += A[blockIdx.y * K + k] * B[k * N + blockIdx.x];
    enter(&lock);
    sum = sum + mine;
    leave(&lock);
    __syncthreads();
    if (threadIdx.x == 0) C[blockIdx.y * N + blockIdx.x] = sum;
}
