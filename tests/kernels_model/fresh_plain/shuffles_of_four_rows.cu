// A warp has 32 columns of four rows. Each lane loads one k of A a row; all lanes get it by a shuffle.
// block: 32,4
// grid: cdiv(N,32),cdiv(M,16)
#define FULL 0xffffffffu

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int lane = threadIdx.x, col = blockIdx.x * 32 + lane, row = (blockIdx.y * 4 + threadIdx.y) * 4;
    const int column = min(col, N - 1);
    float acc[4] = {};
    for (int k0 = 0; k0 < K; k0 += 32) {
        float a[4];
#pragma unroll
        for (int i = 0; i < 4; ++i) a[i] = row + i < M && k0 + lane < K ? A[(row + i) * K + k0 + lane] : 0.0f;
        const int count = min(32, K - k0);
        for (int k = 0; k < count; ++k) {
            const float b = B[(k0 + k) * N + column];
#pragma unroll
            for (int i = 0; i < 4; ++i) acc[i] += __shfl_sync(FULL, a[i], k) * b;
        }
    }
    if (col < N)
        for (int i = 0; i < 4; ++i)
            if (row + i < M) C[(row + i) * N + col] = acc[i];
}
