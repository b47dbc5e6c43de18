// K in four parts along z: tiles of 32 by 32 with 32 by 8 threads write parts of C; a second kernel adds them up.
// launcher: multiply
#define T 32
#define SPLITS 4

__global__ void partial(const float* A, const float* B, float* work, int M, int N, int K)
{
    __shared__ float As[T][T], Bs[T][T];
    const int tx = threadIdx.x, ty = threadIdx.y, col = blockIdx.x * T + tx, top = blockIdx.y * T;
    const int depth = (K + SPLITS - 1) / SPLITS, first = blockIdx.z * depth, last = min(K, first + depth);
    float acc[4] = {};
    for (int k0 = first; k0 < last; k0 += T) {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            const int y = ty + 8 * i;
            As[y][tx] = top + y < M && k0 + tx < last ? A[(top + y) * K + k0 + tx] : 0.0f;
            Bs[y][tx] = k0 + y < last && col < N ? B[(k0 + y) * N + col] : 0.0f;
        }
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < T; ++k)
#pragma unroll
            for (int i = 0; i < 4; ++i) acc[i] += As[ty + 8 * i][k] * Bs[k][tx];
        __syncthreads();
    }
    for (int i = 0; i < 4; ++i)
        if (top + ty + 8 * i < M && col < N) work[(blockIdx.z * M + top + ty + 8 * i) * N + col] = acc[i];
}

__global__ void reduce(const float* work, float* C, int size)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < size; i += gridDim.x * blockDim.x) {
        float acc = 0.0f;
        for (int s = 0; s < SPLITS; ++s) acc += work[s * size + i];
        C[i] = acc;
    }
}

void multiply(const float* A, const float* B, float* C, int M, int N, int K)
{
    float* work;
    cudaMalloc(&work, sizeof(float) * SPLITS * M * N);
    partial<<<dim3((N + T - 1) / T, (M + T - 1) / T, SPLITS), dim3(T, 8)>>>(A, B, work, M, N, K);
    reduce<<<(M * N + 1023) / 1024, 256>>>(work, C, M * N);
    cudaFree(work);
}
