// bug: none - all threads of the block add into one shared sum by atomics
// expect: ok
// diag: no error finding at any shape
// block: 96
// grid: N,M
// smem: 0
// shape_fail: none
// shape_pass: 3,5,200; 2,2,96; 1,1,1
// at_pass: ok
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float sum;
    if (threadIdx.x == 0) sum = 0.0f;
    __syncthreads();
    for (int k = threadIdx.x; k < K; k += blockDim.x) atomicAdd(&sum, A[blockIdx.y * K + k] * B[k * N + blockIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0) C[blockIdx.y * N + blockIdx.x] = sum;
}
