// bug: 65 threads along z, to split K in 65 parts
// expect: launch-error
// diag: at most 64 along z, whatever x and y are
// says: 65 threads along z; 64
// block: 1,1,65
// grid: N,M
// smem: 0
// shape_fail: 2,2,65
// shape_pass: none
// at_pass: launch-error at every shape
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float sum;
    if (threadIdx.z == 0) sum = 0.0f;
    __syncthreads();
    for (int k = threadIdx.z; k < K; k += 65) atomicAdd(&sum, A[blockIdx.y * K + k] * B[k * N + blockIdx.x]);
    __syncthreads();
    if (threadIdx.z == 0) C[blockIdx.y * N + blockIdx.x] = sum;
}
