// A warp shares k among its lanes for four rows and two columns of C, and adds up by __shfl_down.
// block: 128
// grid: cdiv(N,8),cdiv(M,4)
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int lane = threadIdx.x & 31, col = blockIdx.x * 8 + (threadIdx.x >> 5) * 2, row = blockIdx.y * 4;
    if (col >= N) return;
    const int other = min(col + 1, N - 1);
    float acc[4][2] = {};
    for (int k = lane; k < K; k += 32) {
        const float b0 = B[k * N + col], b1 = B[k * N + other];
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            const float a = A[min(row + i, M - 1) * K + k];
            acc[i][0] += a * b0;
            acc[i][1] += a * b1;
        }
    }
#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 2; ++j) {
#pragma unroll
            for (int step = 16; step; step >>= 1) acc[i][j] += __shfl_down_sync(0xffffffffu, acc[i][j], step);
            if (lane == 0 && row + i < M && col + j < N) C[(row + i) * N + col + j] = acc[i][j];
        }
}
