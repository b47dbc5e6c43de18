// K in six slices: tiles of 64 by 64, four by four a thread, parts of C in an array of their own; then they are added.
// launcher: run
#define SLICES 6

__global__ void __launch_bounds__(256) parts(const float* A, const float* B, float* W, int M, int N, int K)
{
    __shared__ float As[8][65], Bs[8][64];
    const int t = threadIdx.x, tx = t % 16, ty = t / 16, top = blockIdx.y * 64, left = blockIdx.x * 64;
    const int length = (K + SLICES - 1) / SLICES, from = blockIdx.z * length, to = min(K, from + length);
    float acc[4][4] = {};
    for (int k0 = from; k0 < to; k0 += 8) {
        for (int i = t; i < 512; i += 256) {
            As[i % 8][i / 8] = top + i / 8 < M && k0 + i % 8 < to ? A[(top + i / 8) * K + k0 + i % 8] : 0.0f;
            Bs[i / 64][i % 64] = k0 + i / 64 < to && left + i % 64 < N ? B[(k0 + i / 64) * N + left + i % 64] : 0.0f;
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 8; ++k)
#pragma unroll
            for (int i = 0; i < 4; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j) acc[i][j] += As[k][ty * 4 + i] * Bs[k][tx * 4 + j];
        __syncthreads();
    }
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) {
            const int r = top + ty * 4 + i, c = left + tx * 4 + j;
            if (r < M && c < N) W[((size_t)blockIdx.z * M + r) * N + c] = acc[i][j];
        }
}

__global__ void sum(const float* W, float* C, int size)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= size) return;
    float total = W[i];
    for (int s = 1; s < SLICES; ++s) total += W[(size_t)s * size + i];
    C[i] = total;
}

void run(const float* A, const float* B, float* C, int M, int N, int K)
{
    float* W;
    cudaMalloc(&W, sizeof(float) * SLICES * M * N);
    parts<<<dim3((N + 63) / 64, (M + 63) / 64, SLICES), 256>>>(A, B, W, M, N, K);
    sum<<<(M * N + 255) / 256, 256>>>(W, C, M * N);
    cudaFree(W);
}
