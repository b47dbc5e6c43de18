// bug: none - the blocks that share an element add their parts one after the other, led by a semaphore with fences
// expect: ok
// diag: no error finding at any shape
// block: 16,16
// grid: cdiv(N,16),cdiv(M,16),3
// smem: 0
// shape_fail: none
// shape_pass: 17,19,29; 16,16,48
// at_pass: ok
__device__ int turn[8][8];

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x, part = blockIdx.z;
    const bool inside = row < M && col < N;
    int* semaphore = &turn[blockIdx.y][blockIdx.x];
    float sum = 0.0f;
    for (int k = part; k < K && inside; k += gridDim.z) sum += A[row * K + k] * B[k * N + col];
    if (threadIdx.x == 0 && threadIdx.y == 0)
        while (atomicAdd(semaphore, 0) != part) {
        }
    __syncthreads();
    __threadfence();
    if (inside) C[row * N + col] = part == 0 ? sum : C[row * N + col] + sum;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0 && threadIdx.y == 0) atomicExch(semaphore, (part + 1) % gridDim.z);
}
