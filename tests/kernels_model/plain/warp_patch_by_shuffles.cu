// A warp makes 32 by 8 of C: lane i holds B's column i and, in turn, hands on eight elements of A.
// block: 32,4
// grid: N//32,M//32
// multiples: 32,32,4
extern "C" __global__ void gemm(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N,
                                int K)
{
    const int lane = threadIdx.x, col = blockIdx.x * 32 + lane, row = blockIdx.y * 32 + threadIdx.y * 8;
    float sums[8] = {};
    for (int k0 = 0; k0 < K; k0 += 4) {
        const float mine = A[(row + lane / 4) * K + k0 + lane % 4];
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            const float b = B[(k0 + k) * N + col];
#pragma unroll
            for (int i = 0; i < 8; ++i) sums[i] += __shfl_sync(0xffffffffu, mine, 4 * i + k) * b;
        }
    }
#pragma unroll
    for (int i = 0; i < 8; ++i) C[(row + i) * N + col] = sums[i];
}
