// bug: the blocks of the last part add all parts up without asking whether the others are there
// expect: race
// diag: RAW between blocks on parts
// says: parts; blocks are never ordered
// block: 16,16
// grid: cdiv(N,16),cdiv(M,16),3
// smem: 0
// shape_fail: 33,47,29
// shape_pass: none
// at_pass: race at every shape
__device__ float parts[3][64][64];

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
    if (threadIdx.x == 0 && threadIdx.y == 0) last = blockIdx.z == gridDim.z - 1;
    __syncthreads();
    if (!last) return;
    __threadfence();
    if (inside) {
        float all = 0.0f;
        for (unsigned z = 0; z < gridDim.z; ++z) all += parts[z][row][col];
        C[row * N + col] = all;
    }
}
