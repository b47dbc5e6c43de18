// bug: a block adds the parts of another one as soon as it has computed its own
// expect: race
// diag: nothing orders the two blocks
// says: blocks are never ordered
// block: 16,16
// grid: cdiv(N,16),cdiv(M,16),2
// smem: 0
// shape_fail: 16,16,16
// shape_pass: none
// at_pass: race at every shape
__device__ float parts[2][64][64];

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    if (row >= M || col >= N) return;
    float sum = 0.0f;
    for (int k = blockIdx.z; k < K; k += 2) sum += A[row * K + k] * B[k * N + col];
    parts[blockIdx.z][row][col] = sum;
    __threadfence();
    if (blockIdx.z == 1) C[row * N + col] = parts[0][row][col] + parts[1][row][col];
}
