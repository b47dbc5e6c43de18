// Eight by eight sums a thread with 32 registers: the compiler has to spill.
// block: 16,16
// grid: N//128,M//128
// multiples: 128,128,1
extern "C" __global__ void __launch_bounds__(256, 8) gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int row = (blockIdx.y * 16 + threadIdx.y) * 8, col = blockIdx.x * 128 + threadIdx.x;
    float sums[8][8] = {};
    for (int k = 0; k < K; ++k) {
        float b[8];
#pragma unroll
        for (int j = 0; j < 8; ++j) b[j] = B[k * N + col + 16 * j];
#pragma unroll
        for (int i = 0; i < 8; ++i) {
            const float a = A[(row + i) * K + k];
#pragma unroll
            for (int j = 0; j < 8; ++j) sums[i][j] += a * b[j];
        }
    }
#pragma unroll
    for (int i = 0; i < 8; ++i) {
#pragma unroll
        for (int j = 0; j < 8; ++j) C[(row + i) * N + col + 16 * j] = sums[i][j];
    }
}
