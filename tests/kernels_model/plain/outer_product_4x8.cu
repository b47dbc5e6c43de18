// An outer product in registers, four rows by eight columns a thread, and no shared memory.
// block: 16,8
// grid: N//128,M//32
// multiples: 32,128,1
#define TM 4
#define TN 8

extern "C" __global__ void __launch_bounds__(128) gemm(const float* __restrict__ A, const float* __restrict__ B,
                                                       float* __restrict__ C, int M, int N, int K)
{
    const int row = (blockIdx.y * 8 + threadIdx.y) * TM, col = (blockIdx.x * 16 + threadIdx.x) * TN;
    float sums[TM][TN] = {};
    for (int k = 0; k < K; ++k) {
        float b[TN];
        *reinterpret_cast<float4*>(b) = *reinterpret_cast<const float4*>(&B[k * N + col]);
        *reinterpret_cast<float4*>(b + 4) = *reinterpret_cast<const float4*>(&B[k * N + col + 4]);
#pragma unroll
        for (int i = 0; i < TM; ++i) {
            const float a = A[(row + i) * K + k];
#pragma unroll
            for (int j = 0; j < TN; ++j) sums[i][j] += a * b[j];
        }
    }
#pragma unroll
    for (int i = 0; i < TM; ++i) {
#pragma unroll
        for (int j = 0; j < TN; ++j) C[(row + i) * N + col + j] = sums[i][j];
    }
}
