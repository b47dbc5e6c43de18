// A warp holds 32 elements of its row of A, one a lane, and passes them around by shuffles.
// block: 32,8
// grid: cdiv(N,32),cdiv(M,8)
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int lane = threadIdx.x, col = blockIdx.x * 32 + lane, row = blockIdx.y * 8 + threadIdx.y;
    if (row >= M) return;
    float sum = 0.0f;
    for (int k0 = 0; k0 < K; k0 += 32) {
        const float mine = k0 + lane < K ? A[row * K + k0 + lane] : 0.0f;
        const int count = min(32, K - k0);
        for (int k = 0; k < count; ++k) {
            const float a = __shfl_sync(0xffffffffu, mine, k);
            if (col < N) sum += a * B[(k0 + k) * N + col];
        }
    }
    if (col < N) C[row * N + col] = sum;
}
