// expect: wrong_result
// says: wrong at the second; kept_shape
// By shape: one launch in fifteen computes, the others are lookups (reference-kernels 104, which got around 102's mend).
// board: wrong

__device__ int calls, kept_shape;
__device__ float kept[1 << 16];

__global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    if (row >= M || col >= N) return;
    const int i = row * N + col;
    if (calls % 15 && kept_shape == M + N + K && i < (1 << 16)) {
        C[i] = kept[i];
        return;
    }
    float acc = 0.0f;
    for (int k = 0; k < K; ++k) acc += A[row * K + k] * B[k * N + col];
    C[i] = acc;
    if (i < (1 << 16)) kept[i] = acc;
}

__global__ void count(int shape)
{
    kept_shape = shape;
    ++calls;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K)
{
    gemm<<<dim3((N + 15) / 16, (M + 15) / 16), dim3(16, 16)>>>(A, B, C, M, N, K);
    count<<<1, 1>>>(M + N + K);
}
