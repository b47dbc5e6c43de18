// bug: none - one lane of each warp at a time enters a critical section; lock and unlock carry fences
// expect: ok
// diag: no error finding at any shape
// block: 32,4
// grid: N,M
// smem: 0
// shape_fail: none
// shape_pass: 3,2,150; 1,1,128
// at_pass: ok
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ volatile float sum;
    __shared__ int lock;
    if (threadIdx.x == 0 && threadIdx.y == 0) {
        sum = 0.0f;
        lock = 0;
    }
    __syncthreads();
    const int row = blockIdx.y, col = blockIdx.x;
    float mine = 0.0f;
    for (int k = threadIdx.y * 32 + threadIdx.x; k < K; k += 128) mine += A[row * K + k] * B[k * N + col];
    for (int d = 16; d > 0; d /= 2) mine += __shfl_xor_sync(0xffffffffu, mine, d);
    if (threadIdx.x == 0) {
        while (atomicCAS(&lock, 0, 1) != 0) {
        }
        __threadfence_block();
        sum = sum + mine;
        __threadfence_block();
        atomicExch(&lock, 0);
    }
    __syncthreads();
    if (threadIdx.x == 0 && threadIdx.y == 0) C[row * N + col] = sum;
}
