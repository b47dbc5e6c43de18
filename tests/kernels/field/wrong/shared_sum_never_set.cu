// bug: the threads add into a shared sum that nobody has set to zero
// expect: wrong-result
// diag: shared memory does not start as zeros
// says: shared memory that no thread has written
// block: 64
// grid: N,M
// smem: 0
// shape_fail: 2,2,64
// shape_pass: none
// at_pass: wrong-result at every shape
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float sum;
    for (int k = threadIdx.x; k < K; k += blockDim.x) atomicAdd(&sum, A[blockIdx.y * K + k] * B[k * N + blockIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0) C[blockIdx.y * N + blockIdx.x] = sum;
}
