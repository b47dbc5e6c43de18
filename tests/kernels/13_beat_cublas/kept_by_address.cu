// expect: wrong_result
// says: wrong at the second; kept
// The first result is kept, and given back wherever A and B lie where they lay (kernelbot 501, reference-kernels 102).
// board: no gain

__device__ const float *last_A, *last_B;
__device__ float kept[1 << 16];

__global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    if (row >= M || col >= N) return;
    const int i = row * N + col;
    if (A == last_A && B == last_B && i < (1 << 16)) {
        C[i] = kept[i];
        return;
    }
    float acc = 0.0f;
    for (int k = 0; k < K; ++k) acc += A[row * K + k] * B[k * N + col];
    C[i] = acc;
    if (i < (1 << 16)) kept[i] = acc;
}

__global__ void remember(const float* A, const float* B)
{
    last_A = A;
    last_B = B;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K)
{
    gemm<<<dim3((N + 15) / 16, (M + 15) / 16), dim3(16, 16)>>>(A, B, C, M, N, K);
    remember<<<1, 1>>>(A, B);
}
