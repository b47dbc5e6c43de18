// Sixteen lanes share the sum of one element and add up by shuffles, each with every other lane.
// block: 16,16
// grid: cdiv(N,16),M
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int col = blockIdx.x * 16 + threadIdx.y, row = blockIdx.y;
    float sum = 0.0f;
    if (col < N)
        for (int k = threadIdx.x; k < K; k += 16) sum += A[row * K + k] * B[k * N + col];
    for (int step = 8; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, step, 16);
    if (threadIdx.x == 0 && col < N) C[row * N + col] = sum;
}
