// One-dimensional blocks; row and column are the quotient and the rest of one index.
// block: 256
// grid: cdiv(M*N,256)
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int index = blockIdx.x * 256 + threadIdx.x;
    const int row = index / N, col = index % N;
    if (row >= M) return;
    float sum = 0.0f;
    for (int k = 0; k < K; ++k) sum = fmaf(A[row * K + k], B[k * N + col], sum);
    C[index] = sum;
}
