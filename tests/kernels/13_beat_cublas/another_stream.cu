// expect: passed
// Launches into a stream of its own, which a clock on the default stream may not see (KernelBench 82). No host code is
// run: the launch is put between the board's own events.
// board: no gain

__global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    if (row >= M || col >= N) return;
    float acc = 0.0f;
    for (int k = 0; k < K; ++k) acc += A[row * K + k] * B[k * N + col];
    C[row * N + col] = acc;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K)
{
    cudaStream_t aside;
    cudaStreamCreateWithFlags(&aside, cudaStreamNonBlocking);
    gemm<<<dim3((N + 15) / 16, (M + 15) / 16), dim3(16, 16), 0, aside>>>(A, B, C, M, N, K);
}
