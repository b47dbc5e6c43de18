// Five rows and three columns a thread, in steps of the block, on tiles of 80 by 48 that are 12 deep.
// block: 16,16
// grid: cdiv(N,48),cdiv(M,80)
#define BM 80
#define BN 48
#define BK 12

extern "C" __global__ void gemm(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N,
                                int K)
{
    __shared__ float As[BM][BK + 1], Bs[BK][BN];
    const int tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx, top = blockIdx.y * BM, left = blockIdx.x * BN;
    float acc[5][3] = {};
    for (int k0 = 0; k0 < K; k0 += BK) {
        for (int i = t; i < BM * BK; i += 256)
            As[i / BK][i % BK] = top + i / BK < M && k0 + i % BK < K ? A[(top + i / BK) * K + k0 + i % BK] : 0.0f;
        for (int i = t; i < BK * BN; i += 256)
            Bs[i / BN][i % BN] = k0 + i / BN < K && left + i % BN < N ? B[(k0 + i / BN) * N + left + i % BN] : 0.0f;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < BK; ++k) {
            float a[5], b[3];
            for (int i = 0; i < 5; ++i) a[i] = As[ty + 16 * i][k];
            for (int j = 0; j < 3; ++j) b[j] = Bs[k][tx + 16 * j];
            for (int i = 0; i < 5; ++i)
                for (int j = 0; j < 3; ++j) acc[i][j] += a[i] * b[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < 5; ++i)
        for (int j = 0; j < 3; ++j) {
            const int row = top + ty + 16 * i, col = left + tx + 16 * j;
            if (row < M && col < N) C[row * N + col] = acc[i][j];
        }
}
