// K in eight slices along z, tiles of 32 by 64 with two by four a thread, atomics into C, which is set to zero first.
// launcher: run
#define SLICES 8

__global__ void slice(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float As[32][17], Bs[16][64];
    const int t = threadIdx.x, tx = t % 16, ty = t / 16, top = blockIdx.y * 32, left = blockIdx.x * 64;
    const int length = (K + SLICES * 16 - 1) / (SLICES * 16) * 16, from = blockIdx.z * length, to = min(K, from + length);
    float acc[2][4] = {};
    for (int k0 = from; k0 < to; k0 += 16) {
        for (int i = t; i < 512; i += 256)
            As[i / 16][i % 16] = top + i / 16 < M && k0 + i % 16 < to ? A[(top + i / 16) * K + k0 + i % 16] : 0.0f;
        for (int i = t; i < 1024; i += 256)
            Bs[i / 64][i % 64] = k0 + i / 64 < to && left + i % 64 < N ? B[(k0 + i / 64) * N + left + i % 64] : 0.0f;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; ++k)
            for (int i = 0; i < 2; ++i)
                for (int j = 0; j < 4; ++j) acc[i][j] += As[ty + 16 * i][k] * Bs[k][tx + 16 * j];
        __syncthreads();
    }
    if (from >= to) return;
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 4; ++j) {
            const int r = top + ty + 16 * i, c = left + tx + 16 * j;
            if (r < M && c < N) atomicAdd(C + r * N + c, acc[i][j]);
        }
}

void run(const float* A, const float* B, float* C, int M, int N, int K)
{
    cudaMemset(C, 0, sizeof(float) * M * N);
    slice<<<dim3((N + 63) / 64, (M + 31) / 32, SLICES), 256>>>(A, B, C, M, N, K);
}
