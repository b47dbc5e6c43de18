// bug: one thread clears the shared sum while others may have added to it
// expect: race
// diag: no barrier between the clearing and the adding
// says: sum
// block: 64
// grid: N,M
// smem: 0
// shape_fail: 2,2,64
// shape_pass: none
// at_pass: race at every shape
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float sum;
    if (threadIdx.x == 0) sum = 0.0f;
    for (int k = threadIdx.x; k < K; k += blockDim.x) atomicAdd(&sum, A[blockIdx.y * K + k] * B[k * N + blockIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0) C[blockIdx.y * N + blockIdx.x] = sum;
}
