// Register tiles of eight by four on tiles of 64 by 128, 16 deep, padded.
// block: 256
// grid: cdiv(N,128),cdiv(M,64)
#define BM 64
#define BN 128
#define BK 16
#define TM 8
#define TN 4
#define THREADS 256

extern "C" __global__ void gemm(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C,
                                int M, int N, int K)
{
    __shared__ float As[BK][BM + 4], Bs[BK][BN];
    const int t = threadIdx.x, tx = t % 32, ty = t / 32, top = blockIdx.y * BM, left = blockIdx.x * BN;
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
            for (int i = 0; i < TM; ++i) a[i] = As[k][ty + 8 * i];
#pragma unroll
            for (int j = 0; j < TN; ++j) b[j] = Bs[k][tx + 32 * j];
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
            const int r = top + ty + 8 * i, c = left + tx + 32 * j;
            if (r < M && c < N) C[r * N + c] = acc[i][j];
        }
}
