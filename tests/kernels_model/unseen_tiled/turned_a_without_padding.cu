// The tile of A is turned while it is stored, without padding: the stores meet in few banks, the reads do not.
// block: 256
// grid: cdiv(N,64),cdiv(M,64)
#define SIDE 64
#define BK 32

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float At[BK][SIDE], Bs[BK][SIDE];
    const int t = threadIdx.x, x = t % 16, y = t / 16, top = blockIdx.y * SIDE, left = blockIdx.x * SIDE;
    float sums[4][4] = {};
    for (int k0 = 0; k0 < K; k0 += BK) {
        for (int r = t / BK; r < SIDE; r += 256 / BK)
            At[t % BK][r] = top + r < M && k0 + t % BK < K ? A[(top + r) * K + k0 + t % BK] : 0.0f;
        for (int k = t / SIDE; k < BK; k += 256 / SIDE)
            Bs[k][t % SIDE] = k0 + k < K && left + t % SIDE < N ? B[(k0 + k) * N + left + t % SIDE] : 0.0f;
        __syncthreads();
        for (int k = 0; k < BK; ++k) {
            for (int i = 0; i < 4; ++i)
                for (int j = 0; j < 4; ++j) sums[i][j] += At[k][y + 16 * i] * Bs[k][x + 16 * j];
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j)
            if (top + y + 16 * i < M && left + x + 16 * j < N) C[(top + y + 16 * i) * N + left + x + 16 * j] = sums[i][j];
}
