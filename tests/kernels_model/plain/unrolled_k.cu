// Four sums over every fourth k, so that four multiply-adds do not wait for each other.
// block: 32,4
// grid: cdiv(N,32),cdiv(M,4)
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 4 + threadIdx.y;
    if (row >= M || col >= N) return;
    const float* a = A + row * K;
    const float* b = B + col;
    float s0 = 0.0f, s1 = 0.0f, s2 = 0.0f, s3 = 0.0f;
    int k = 0;
    for (; k + 3 < K; k += 4) {
        s0 += a[k] * b[k * N];
        s1 += a[k + 1] * b[(k + 1) * N];
        s2 += a[k + 2] * b[(k + 2) * N];
        s3 += a[k + 3] * b[(k + 3) * N];
    }
    for (; k < K; ++k) s0 += a[k] * b[k * N];
    C[row * N + col] = (s0 + s1) + (s2 + s3);
}
