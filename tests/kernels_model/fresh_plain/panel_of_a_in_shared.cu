// Sixteen rows of A lie in shared memory, 32 deep; B is read from global memory once a thread and used for all of them.
// block: 64
// grid: cdiv(N,64),cdiv(M,16)
#define ROWS 16
#define DEPTH 32

extern "C" __global__ void gemm(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N,
                                int K)
{
    __shared__ float panel[DEPTH][ROWS + 1];
    const int t = threadIdx.x, col = blockIdx.x * 64 + t, top = blockIdx.y * ROWS;
    float acc[ROWS] = {};
    for (int k0 = 0; k0 < K; k0 += DEPTH) {
        for (int i = t; i < ROWS * DEPTH; i += 64) {
            const int r = i / DEPTH, k = i % DEPTH;
            panel[k][r] = top + r < M && k0 + k < K ? A[(top + r) * K + k0 + k] : 0.0f;
        }
        __syncthreads();
        if (col < N) {
#pragma unroll 4
            for (int k = 0; k < DEPTH; ++k) {
                const float b = k0 + k < K ? B[(k0 + k) * N + col] : 0.0f;
#pragma unroll
                for (int r = 0; r < ROWS; ++r) acc[r] += panel[k][r] * b;
            }
        }
        __syncthreads();
    }
    if (col < N) {
#pragma unroll
        for (int r = 0; r < ROWS; ++r)
            if (top + r < M) C[(top + r) * N + col] = acc[r];
    }
}
