// Eight lanes share the k of an element and add by shuffles; a block of 256 threads has 32 elements of a row.
// block: 256
// grid: cdiv(N,32),M
extern "C" __global__ void gemm(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N,
                                int K)
{
    const int part = threadIdx.x % 8, col = blockIdx.x * 32 + threadIdx.x / 8, row = blockIdx.y;
    float acc = 0.0f;
    if (col < N)
        for (int k = part; k < K; k += 8) acc += A[row * K + k] * B[k * N + col];
    for (int step = 4; step; step /= 2) acc += __shfl_down_sync(0xffffffffu, acc, step, 8);
    if (part == 0 && col < N) C[row * N + col] = acc;
}
