// A warp for each element of C: its lanes share the sum over k and add up by shuffles.
// block: 32,8
// grid: cdiv(N,8),M
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int col = blockIdx.x * 8 + threadIdx.y, row = blockIdx.y;
    if (col >= N) return;
    float sum = 0.0f;
    for (int k = threadIdx.x; k < K; k += 32) sum += A[row * K + k] * B[k * N + col];
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
    if (threadIdx.x == 0) C[row * N + col] = sum;
}
