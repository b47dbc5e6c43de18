// expect: passed
// Right at the first ten launches, and then hardly anything is done (llm.c 851). Ten launches are more than a check
// makes: the board's clock looks at the result of each.
// board: wrong

__device__ int calls;

__global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    if (row >= M || col >= N) return;
    if (calls > 10 && row > 0) return;
    float acc = 0.0f;
    for (int k = 0; k < K; ++k) acc += A[row * K + k] * B[k * N + col];
    C[row * N + col] = acc;
}

__global__ void count()
{
    ++calls;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K)
{
    gemm<<<dim3((N + 15) / 16, (M + 15) / 16), dim3(16, 16)>>>(A, B, C, M, N, K);
    count<<<1, 1>>>();
}
