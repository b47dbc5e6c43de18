// One row and sixteen columns a thread: all lanes of a warp read the same of B, and 32 rows of A.
// block: 64,2
// grid: cdiv(N,32),cdiv(M,64)
#define BM 64
#define BN 32
#define BK 16

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float As[BM][BK + 1];
    __shared__ __align__(16) float Bs[BK][BN];
    const int r = threadIdx.x, half = threadIdx.y * 16, t = threadIdx.y * 64 + r;
    const int top = blockIdx.y * BM, left = blockIdx.x * BN;
    float sums[16] = {};
    for (int k0 = 0; k0 < K; k0 += BK) {
        for (int i = t; i < BM * BK; i += 128) {
            const int y = i / BK, k = i % BK;
            As[y][k] = top + y < M && k0 + k < K ? A[(top + y) * K + k0 + k] : 0.0f;
        }
        for (int i = t; i < BK * BN; i += 128) {
            const int k = i / BN, c = i % BN;
            Bs[k][c] = k0 + k < K && left + c < N ? B[(k0 + k) * N + left + c] : 0.0f;
        }
        __syncthreads();
        for (int k = 0; k < BK; ++k) {
            const float a = As[r][k];
#pragma unroll
            for (int j = 0; j < 16; ++j) sums[j] += a * Bs[k][half + j];
        }
        __syncthreads();
    }
    if (top + r >= M) return;
    for (int j = 0; j < 16; ++j)
        if (left + half + j < N) C[(top + r) * N + left + half + j] = sums[j];
}
