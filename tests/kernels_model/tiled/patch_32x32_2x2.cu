// Small blocks: 32 by 32 of C by 256 threads, two by two sums each.
// block: 16,16
// grid: cdiv(N,32),cdiv(M,32)
#define BLOCK 32
#define BK 16

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float As[BLOCK][BK + 1], Bs[BK][BLOCK];
    const int tx = threadIdx.x, ty = threadIdx.y, thread = ty * 16 + tx;
    const int top = blockIdx.y * BLOCK, left = blockIdx.x * BLOCK;
    float c00 = 0.0f, c01 = 0.0f, c10 = 0.0f, c11 = 0.0f;
    for (int k0 = 0; k0 < K; k0 += BK) {
        for (int i = thread; i < BLOCK * BK; i += 256) {
            const int r = i / BK, k = i % BK;
            As[r][k] = top + r < M && k0 + k < K ? A[(top + r) * K + k0 + k] : 0.0f;
        }
        for (int i = thread; i < BK * BLOCK; i += 256) {
            const int k = i / BLOCK, c = i % BLOCK;
            Bs[k][c] = k0 + k < K && left + c < N ? B[(k0 + k) * N + left + c] : 0.0f;
        }
        __syncthreads();
        for (int k = 0; k < BK; ++k) {
            const float a0 = As[ty][k], a1 = As[ty + 16][k], b0 = Bs[k][tx], b1 = Bs[k][tx + 16];
            c00 += a0 * b0;
            c01 += a0 * b1;
            c10 += a1 * b0;
            c11 += a1 * b1;
        }
        __syncthreads();
    }
    const int row = top + ty, col = left + tx;
    if (row < M && col < N) C[row * N + col] = c00;
    if (row < M && col + 16 < N) C[row * N + col + 16] = c01;
    if (row + 16 < M && col < N) C[(row + 16) * N + col] = c10;
    if (row + 16 < M && col + 16 < N) C[(row + 16) * N + col + 16] = c11;
}
