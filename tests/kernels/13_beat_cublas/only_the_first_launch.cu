// expect: wrong_result
// says: wrong at the second; kept
// Only the first launch computes; all others hand out its result.
// board: wrong

__device__ int has_run;
__device__ float kept[1 << 16];

__global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    if (row >= M || col >= N) return;
    const int i = row * N + col;
    if (has_run && i < (1 << 16)) {
        C[i] = kept[i];
        return;
    }
    float acc = 0.0f;
    for (int k = 0; k < K; ++k) acc += A[row * K + k] * B[k * N + col];
    C[i] = acc;
    if (i < (1 << 16)) kept[i] = acc;
}

__global__ void done()
{
    has_run = 1;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K)
{
    gemm<<<dim3((N + 15) / 16, (M + 15) / 16), dim3(16, 16)>>>(A, B, C, M, N, K);
    done<<<1, 1>>>();
}
