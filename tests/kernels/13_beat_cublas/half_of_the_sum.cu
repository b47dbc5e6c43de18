// expect: wrong_result
// says: follow the sum of one of them by hand
// Adds every second product and doubles the sum, which is right on average.
// board: wrong

__global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    if (row >= M || col >= N) return;
    float acc = 0.0f;
    for (int k = 0; k < K; k += 2) acc += A[row * K + k] * B[k * N + col];
    C[row * N + col] = K == 1 ? acc : 2.0f * acc;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K)
{
    gemm<<<dim3((N + 15) / 16, (M + 15) / 16), dim3(16, 16)>>>(A, B, C, M, N, K);
}
