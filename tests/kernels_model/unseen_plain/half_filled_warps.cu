// Blocks of sixteen threads: each warp has only half of its lanes. Four columns and two rows a thread.
// block: 16
// grid: cdiv(N,64),cdiv(M,2)
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int left = blockIdx.x * 64 + threadIdx.x, row = blockIdx.y * 2, below = min(row + 1, M - 1);
    float high[4] = {}, low[4] = {};
    for (int k = 0; k < K; ++k) {
        const float a0 = A[row * K + k], a1 = A[below * K + k];
        for (int j = 0; j < 4; ++j) {
            const float b = left + 16 * j < N ? B[k * N + left + 16 * j] : 0.0f;
            high[j] += a0 * b;
            low[j] += a1 * b;
        }
    }
    for (int j = 0; j < 4; ++j) {
        if (left + 16 * j >= N) break;
        C[row * N + left + 16 * j] = high[j];
        if (row + 1 < M) C[(row + 1) * N + left + 16 * j] = low[j];
    }
}
