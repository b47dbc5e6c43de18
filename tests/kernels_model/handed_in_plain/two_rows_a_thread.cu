// Two rows of one column a thread, 64 threads across and 4 down.
// block: 64,4
// grid: cdiv(N,64),cdiv(M,8)
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int col = blockIdx.x * 64 + threadIdx.x, row = 2 * (blockIdx.y * 4 + threadIdx.y);
    if (col >= N || row >= M) return;
    const int next = min(row + 1, M - 1);
    float upper = 0.0f, lower = 0.0f;
    for (int k = 0; k < K; ++k) {
        const float b = B[k * N + col];
        upper += A[row * K + k] * b;
        lower += A[next * K + k] * b;
    }
    C[row * N + col] = upper;
    if (row + 1 < M) C[(row + 1) * N + col] = lower;
}
