// bug: none - blocks along z leave partial sums in a global array; a fence and a counter tell the last one to add them
// expect: ok
// diag: no error finding at any shape
// block: 16,16
// grid: cdiv(N,16),cdiv(M,16),3
// smem: 0
// shape_fail: none
// shape_pass: 33,47,29; 16,16,48; 1,1,2
// at_pass: ok
__device__ float parts[3][64][64];
__device__ unsigned int finished[4][4];

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ bool last;
    const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    const bool inside = row < M && col < N;
    float sum = 0.0f;
    for (int k = blockIdx.z; k < K && inside; k += gridDim.z) sum += A[row * K + k] * B[k * N + col];
    if (inside) parts[blockIdx.z][row][col] = sum;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0 && threadIdx.y == 0)
        last = atomicAdd(&finished[blockIdx.y][blockIdx.x], 1u) == gridDim.z - 1;
    __syncthreads();
    if (!last) return;
    if (threadIdx.x == 0 && threadIdx.y == 0) finished[blockIdx.y][blockIdx.x] = 0;  // for the next launch
    __threadfence();
    if (inside) {
        float all = 0.0f;
        for (unsigned z = 0; z < gridDim.z; ++z) all += parts[z][row][col];
        C[row * N + col] = all;
    }
}
