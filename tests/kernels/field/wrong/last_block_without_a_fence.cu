// bug: the counter says that a block is done before its partial sums are sure to be visible
// expect: race
// diag: no __threadfence between the partial sums and the atomic counter
// says: blocks
// block: 16,16
// grid: cdiv(N,16),cdiv(M,16),2
// smem: 0
// shape_fail: 16,16,16
// shape_pass: none
// at_pass: race at every shape
__device__ float parts[2][64][64];
__device__ unsigned int finished[4][4];

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ bool last;
    const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    const bool inside = row < M && col < N;
    float sum = 0.0f;
    for (int k = blockIdx.z; k < K && inside; k += 2) sum += A[row * K + k] * B[k * N + col];
    if (inside) parts[blockIdx.z][row][col] = sum;
    __syncthreads();
    if (threadIdx.x == 0 && threadIdx.y == 0) last = atomicAdd(&finished[blockIdx.y][blockIdx.x], 1u) == 1;
    __syncthreads();
    if (last && inside) C[row * N + col] = parts[0][row][col] + parts[1][row][col];
}
