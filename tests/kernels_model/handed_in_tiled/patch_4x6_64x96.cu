// Register tiles of four by six on tiles of 64 by 96, eight deep.
// block: 256
// grid: cdiv(N,96),cdiv(M,64)
#define BM 64
#define BN 96
#define BK 8
#define TM 4
#define TN 6
#define THREADS 256

extern "C" __global__ void gemm(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C,
                                int M, int N, int K)
{
    __shared__ float As[BK][BM], Bs[BK][BN];
    const int t = threadIdx.x, tx = t % 16, ty = t / 16, top = blockIdx.y * BM, left = blockIdx.x * BN;
    float acc[TM][TN] = {}, a[TM], b[TN];
    for (int k0 = 0; k0 < K; k0 += BK) {
        for (int i = t; i < BM * BK; i += THREADS) {
            const int r = i / BK, k = i % BK;
            As[k][r] = top + r < M && k0 + k < K ? A[(top + r) * K + k0 + k] : 0.0f;
        }
        for (int i = t; i < BK * BN; i += THREADS) {
            const int k = i / BN, c = i % BN;
            Bs[k][c] = k0 + k < K && left + c < N ? B[(k0 + k) * N + left + c] : 0.0f;
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < BK; ++k) {
#pragma unroll
            for (int i = 0; i < TM; ++i) a[i] = As[k][ty + 16 * i];
#pragma unroll
            for (int j = 0; j < TN; ++j) b[j] = Bs[k][tx + 16 * j];
#pragma unroll
            for (int i = 0; i < TM; ++i)
#pragma unroll
                for (int j = 0; j < TN; ++j) acc[i][j] += a[i] * b[j];
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < TM; ++i)
#pragma unroll
        for (int j = 0; j < TN; ++j) {
            const int r = top + ty + 16 * i, c = left + tx + 16 * j;
            if (r < M && c < N) C[r * N + c] = acc[i][j];
        }
}
