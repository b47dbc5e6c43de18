// Eight by eight sums a thread, no shared memory, and one block an SM at the least: the compiler may take all registers.
// block: 8,8
// grid: N//64,M//64
// multiples: 64,64,1
#define T 8

extern "C" __global__ void __launch_bounds__(64, 1) gemm(const float* __restrict__ A, const float* __restrict__ B,
                                                         float* __restrict__ C, int M, int N, int K)
{
    const int row = (blockIdx.y * 8 + threadIdx.y) * T, left = blockIdx.x * 64 + threadIdx.x * 4;
    float sums[T][T] = {};
#pragma unroll 2
    for (int k = 0; k < K; ++k) {
        const float4 b0 = *reinterpret_cast<const float4*>(&B[k * N + left]);
        const float4 b1 = *reinterpret_cast<const float4*>(&B[k * N + left + 32]);
        const float b[T] = {b0.x, b0.y, b0.z, b0.w, b1.x, b1.y, b1.z, b1.w};
#pragma unroll
        for (int i = 0; i < T; ++i) {
            const float a = A[(row + i) * K + k];
#pragma unroll
            for (int j = 0; j < T; ++j) sums[i][j] += a * b[j];
        }
    }
#pragma unroll
    for (int i = 0; i < T; ++i) {
#pragma unroll
        for (int j = 0; j < T; ++j) C[(row + i) * N + left + j % 4 + j / 4 * 32] = sums[i][j];
    }
}
