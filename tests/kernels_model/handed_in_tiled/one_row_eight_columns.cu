// Tiles of 32 by 64, 32 deep: a thread has one row and eight columns, eight apart.
// block: 8,32
// grid: cdiv(N,64),cdiv(M,32)
extern "C" __global__ void gemm(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N,
                                int K)
{
    __shared__ float As[32][33], Bs[32][64];
    const int tx = threadIdx.x, ty = threadIdx.y, t = ty * 8 + tx, top = blockIdx.y * 32, left = blockIdx.x * 64;
    float acc[8] = {};
    for (int k0 = 0; k0 < K; k0 += 32) {
        for (int i = t; i < 32 * 32; i += 256)
            As[i / 32][i % 32] = top + i / 32 < M && k0 + i % 32 < K ? A[(top + i / 32) * K + k0 + i % 32] : 0.0f;
        for (int i = t; i < 32 * 64; i += 256)
            Bs[i / 64][i % 64] = k0 + i / 64 < K && left + i % 64 < N ? B[(k0 + i / 64) * N + left + i % 64] : 0.0f;
        __syncthreads();
#pragma unroll 4
        for (int k = 0; k < 32; ++k)
#pragma unroll
            for (int j = 0; j < 8; ++j) acc[j] += As[ty][k] * Bs[k][tx + 8 * j];
        __syncthreads();
    }
    for (int j = 0; j < 8; ++j)
        if (top + ty < M && left + tx + 8 * j < N) C[(top + ty) * N + left + tx + 8 * j] = acc[j];
}
