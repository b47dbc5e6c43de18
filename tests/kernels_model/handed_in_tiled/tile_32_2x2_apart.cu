// Tiles of 32 by 32 with 16 by 16 threads: two by two elements a thread, 16 apart.
// block: 16,16
// grid: cdiv(N,32),cdiv(M,32)
extern "C" __global__ void gemm(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N,
                                int K)
{
    __shared__ float As[32][32], Bs[32][32];
    const int tx = threadIdx.x, ty = threadIdx.y, top = blockIdx.y * 32, left = blockIdx.x * 32;
    float c00 = 0, c01 = 0, c10 = 0, c11 = 0;
    for (int k0 = 0; k0 < K; k0 += 32) {
        for (int i = ty; i < 32; i += 16)
            for (int j = tx; j < 32; j += 16) {
                As[i][j] = top + i < M && k0 + j < K ? A[(top + i) * K + k0 + j] : 0.0f;
                Bs[i][j] = k0 + i < K && left + j < N ? B[(k0 + i) * N + left + j] : 0.0f;
            }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 32; ++k) {
            const float a0 = As[ty][k], a1 = As[ty + 16][k], b0 = Bs[k][tx], b1 = Bs[k][tx + 16];
            c00 += a0 * b0;
            c01 += a0 * b1;
            c10 += a1 * b0;
            c11 += a1 * b1;
        }
        __syncthreads();
    }
    const int r = top + ty, c = left + tx;
    if (r < M && c < N) C[r * N + c] = c00;
    if (r < M && c + 16 < N) C[r * N + c + 16] = c01;
    if (r + 16 < M && c < N) C[(r + 16) * N + c] = c10;
    if (r + 16 < M && c + 16 < N) C[(r + 16) * N + c + 16] = c11;
}
