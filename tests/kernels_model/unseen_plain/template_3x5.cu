// A template of the patch of a thread, here of three rows and five columns, a block apart.
// launcher: solve
template <int TM, int TN>
__global__ void patch(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N, int K)
{
    const int left = blockIdx.x * 32 * TN + threadIdx.x, top = blockIdx.y * 4 * TM + threadIdx.y;
    float sums[TM][TN] = {};
    for (int k = 0; k < K; ++k) {
        float a[TM], b[TN];
#pragma unroll
        for (int i = 0; i < TM; ++i) a[i] = top + 4 * i < M ? A[(top + 4 * i) * K + k] : 0.0f;
#pragma unroll
        for (int j = 0; j < TN; ++j) b[j] = left + 32 * j < N ? B[k * N + left + 32 * j] : 0.0f;
#pragma unroll
        for (int i = 0; i < TM; ++i) {
#pragma unroll
            for (int j = 0; j < TN; ++j) sums[i][j] += a[i] * b[j];
        }
    }
#pragma unroll
    for (int i = 0; i < TM; ++i) {
#pragma unroll
        for (int j = 0; j < TN; ++j)
            if (top + 4 * i < M && left + 32 * j < N) C[(top + 4 * i) * N + left + 32 * j] = sums[i][j];
    }
}

void solve(const float* A, const float* B, float* C, int M, int N, int K)
{
    const dim3 block(32, 4), grid((N + 159) / 160, (M + 11) / 12);
    patch<3, 5><<<grid, block>>>(A, B, C, M, N, K);
}
