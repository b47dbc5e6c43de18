// The lanes of a warp read a column of a tile that is 32 floats wide: 32 rows of one bank.
// block: 32,16
// grid: cdiv(N,32),cdiv(M,32)
#define TILE 32

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float As[TILE][TILE], Bt[TILE][TILE];
    const int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
    float low = 0.0f, high = 0.0f;
    for (int k0 = 0; k0 < K; k0 += TILE) {
        for (int y = ty; y < TILE; y += 16) {
            const int r = blockIdx.y * TILE + y;
            As[y][tx] = r < M && k0 + tx < K ? A[r * K + k0 + tx] : 0.0f;
            Bt[tx][y] = k0 + y < K && col < N ? B[(k0 + y) * N + col] : 0.0f;
        }
        __syncthreads();
        for (int k = 0; k < TILE; ++k) {
            low += As[ty][k] * Bt[tx][k];
            high += As[ty + 16][k] * Bt[tx][k];
        }
        __syncthreads();
    }
    if (row < M && col < N) C[row * N + col] = low;
    if (row + 16 < M && col < N) C[(row + 16) * N + col] = high;
}
