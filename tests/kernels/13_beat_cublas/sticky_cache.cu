// expect: passed
// Asks the L2 cache to keep what it reads, for the next launch (llm.c 851). It is right, and no launch gains: the
// matrices of the next launch are new and lie elsewhere.
// board: no gain

__device__ float sticky(const float* from)
{
    asm volatile("prefetch.global.L2::evict_last [%0];" :: "l"(from));
    return *from;
}

__global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    if (row >= M || col >= N) return;
    float acc = 0.0f;
    for (int k = 0; k < K; ++k) acc += sticky(A + row * K + k) * sticky(B + k * N + col);
    C[row * N + col] = acc;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K)
{
    gemm<<<dim3((N + 15) / 16, (M + 15) / 16), dim3(16, 16)>>>(A, B, C, M, N, K);
}
