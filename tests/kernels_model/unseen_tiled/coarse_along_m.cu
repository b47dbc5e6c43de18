// Coarsening along M: four tiles below each other share the tile of B. Eight rows of threads, 16 wide.
// block: 16,8
// grid: cdiv(N,16),cdiv(M,32)
#define BN 16
#define BK 8
#define ROWS 4

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float As[8 * ROWS][BK], Bs[BK][BN];
    const int tx = threadIdx.x, ty = threadIdx.y, t = ty * BN + tx, top = blockIdx.y * 8 * ROWS, col = blockIdx.x * BN + tx;
    float sums[ROWS] = {};
    for (int k0 = 0; k0 < K; k0 += BK) {
        for (int i = t; i < 8 * ROWS * BK; i += 128) {
            const int r = i / BK, k = i % BK;
            As[r][k] = top + r < M && k0 + k < K ? A[(top + r) * K + k0 + k] : 0.0f;
        }
        Bs[ty][tx] = k0 + ty < K && col < N ? B[(k0 + ty) * N + col] : 0.0f;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < BK; ++k) {
            const float b = Bs[k][tx];
#pragma unroll
            for (int i = 0; i < ROWS; ++i) sums[i] += As[ty + 8 * i][k] * b;
        }
        __syncthreads();
    }
    for (int i = 0; i < ROWS; ++i)
        if (top + ty + 8 * i < M && col < N) C[(top + ty + 8 * i) * N + col] = sums[i];
}
