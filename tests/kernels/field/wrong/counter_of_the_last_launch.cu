// bug: blocks along z leave partial sums, and a counter that nobody sets back tells which of them is the last to come
// expect: wrong-result
// diag: right at the first launch only; at the next one no block finds itself the last, and C stays unwritten
// block: 16,16
// grid: cdiv(N,16),cdiv(M,16),2
// smem: 0
// shape_fail: 32,32,32; 5,7,9
// shape_pass: none
// at_pass: wrong-result at every shape
// says: wrong at the second; came_by
__device__ float part[2][64][64];
__device__ unsigned int came_by[4][4];

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ unsigned int before;
    const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    const bool inside = row < M && col < N;
    float sum = 0.0f;
    for (int k = blockIdx.z; k < K && inside; k += 2) sum += A[row * K + k] * B[k * N + col];
    if (inside) part[blockIdx.z][row][col] = sum;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0 && threadIdx.y == 0) before = atomicAdd(&came_by[blockIdx.y][blockIdx.x], 1u);
    __syncthreads();
    if (before != 1) return;
    __threadfence();
    if (inside) C[row * N + col] = part[0][row][col] + part[1][row][col];
}
