// The sums lie in an array whose index the compiler does not know: local memory, a thread's own.
// block: 32,4
// grid: cdiv(N,32),cdiv(M,4)
// shape: 32,64,32
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int row = blockIdx.y * 4 + threadIdx.y, col = blockIdx.x * 32 + threadIdx.x;
    float part[8] = {};
    for (int k = 0; k < K; ++k) part[(k * M + row) % 8] += A[row * K + k] * B[k * N + col];
    float acc = 0.0f;
    for (int i = 0; i < 8; ++i) acc += part[(i + row) % 8];
    C[row * N + col] = acc;
}
