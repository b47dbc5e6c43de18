// One element a thread; the running sum is a double.
// block: 32,8
// grid: cdiv(N,32),cdiv(M,8)
extern "C" __global__ void gemm(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N,
                                int K)
{
    const int n = blockIdx.x * 32 + threadIdx.x, m = blockIdx.y * 8 + threadIdx.y;
    if (n >= N || m >= M) return;
    double total = 0.0;
    for (int k = 0; k < K; ++k) total += A[m * K + k] * B[k * N + n];
    C[m * N + n] = (float)total;
}
