// Two by two elements of C a thread, straight from global memory.
// block: 32,8
// grid: cdiv(N,64),cdiv(M,16)
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int col = blockIdx.x * 64 + threadIdx.x, row = blockIdx.y * 16 + 2 * threadIdx.y;
    float sums[2][2] = {};
    for (int k = 0; k < K; ++k) {
        const float a0 = row < M ? A[row * K + k] : 0.0f, a1 = row + 1 < M ? A[(row + 1) * K + k] : 0.0f;
        const float b0 = col < N ? B[k * N + col] : 0.0f, b1 = col + 32 < N ? B[k * N + col + 32] : 0.0f;
        sums[0][0] += a0 * b0;
        sums[0][1] += a0 * b1;
        sums[1][0] += a1 * b0;
        sums[1][1] += a1 * b1;
    }
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j)
            if (row + i < M && col + 32 * j < N) C[(row + i) * N + col + 32 * j] = sums[i][j];
}
