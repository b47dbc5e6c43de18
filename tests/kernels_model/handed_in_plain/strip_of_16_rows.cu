// A thread has 16 rows of one column; blocks of 64 threads.
// block: 64
// grid: cdiv(N,64),cdiv(M,16)
extern "C" __global__ void gemm(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N,
                                int K)
{
    const int col = blockIdx.x * 64 + threadIdx.x, top = blockIdx.y * 16;
    if (col >= N) return;
    float acc[16];
#pragma unroll
    for (int i = 0; i < 16; ++i) acc[i] = 0.0f;
    for (int k = 0; k < K; ++k) {
        const float b = B[(size_t)k * N + col];
#pragma unroll
        for (int i = 0; i < 16; ++i) acc[i] += A[(size_t)min(top + i, M - 1) * K + k] * b;
    }
#pragma unroll
    for (int i = 0; i < 16; ++i)
        if (top + i < M) C[(size_t)(top + i) * N + col] = acc[i];
}
