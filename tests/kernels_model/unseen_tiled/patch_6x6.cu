// Six by six sums a thread and blocks of 96 by 96, which divide no power of two: the last blocks hang over every edge.
// block: 16,16
// grid: cdiv(N,96),cdiv(M,96)
#define SIDE 96
#define BK 8
#define T 6

extern "C" __global__ void __launch_bounds__(256) gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float As[BK][SIDE + 1], Bs[BK][SIDE];
    const int tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx, top = blockIdx.y * SIDE, left = blockIdx.x * SIDE;
    float sums[T][T] = {};
    for (int k0 = 0; k0 < K; k0 += BK) {
        for (int i = t; i < SIDE * BK; i += 256) {
            const int r = i / BK, k = i % BK, kb = i / SIDE, c = i % SIDE;
            As[k][r] = top + r < M && k0 + k < K ? A[(top + r) * K + k0 + k] : 0.0f;
            Bs[kb][c] = k0 + kb < K && left + c < N ? B[(k0 + kb) * N + left + c] : 0.0f;
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < BK; ++k) {
            float a[T], b[T];
#pragma unroll
            for (int i = 0; i < T; ++i) {
                a[i] = As[k][ty + 16 * i];
                b[i] = Bs[k][tx + 16 * i];
            }
#pragma unroll
            for (int i = 0; i < T; ++i)
#pragma unroll
                for (int j = 0; j < T; ++j) sums[i][j] = fmaf(a[i], b[j], sums[i][j]);
        }
        __syncthreads();
    }
    for (int i = 0; i < T; ++i)
        for (int j = 0; j < T; ++j) {
            const int row = top + ty + 16 * i, col = left + tx + 16 * j;
            if (row < M && col < N) C[row * N + col] = sums[i][j];
        }
}
