// A block of 1024 threads in one dimension, counted down the columns of its 32 by 32 elements of C.
// block: 1024
// grid: cdiv(N,32),cdiv(M,32)
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int row = blockIdx.y * 32 + threadIdx.x % 32, col = blockIdx.x * 32 + threadIdx.x / 32;
    if (row >= M || col >= N) return;
    float sum = 0.0f;
#pragma unroll 4
    for (int k = 0; k < K; ++k) sum = fmaf(A[row * K + k], B[k * N + col], sum);
    C[row * N + col] = sum;
}
