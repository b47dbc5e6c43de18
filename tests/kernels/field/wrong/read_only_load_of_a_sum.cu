// bug: sums are kept in global memory and read back with __ldg, which is for data that the kernel never writes
// expect: race
// diag: no barrier orders a read-only load after a write of the same kernel
// block: 16,16
// grid: cdiv(N,16),cdiv(M,16)
// smem: 0
// shape_fail: 17,19,8
// shape_pass: none
// at_pass: race at every shape
// says: scratch
__device__ float scratch[64][64];

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < K && row < M && col < N; ++k) sum += A[row * K + k] * B[k * N + col];
    scratch[row % 64][col % 64] = sum;
    __threadfence();
    __syncthreads();
    if (row < M && col < N) C[row * N + col] = __ldg(&scratch[row % 64][col % 64]);
}
