// Tiles of 16 rows and 64 columns, 16 deep; four rows of a column a thread.
// block: 64,4
// grid: cdiv(N,64),cdiv(M,16)
extern "C" __global__ void gemm(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N,
                                int K)
{
    __shared__ float As[16][16], Bs[16][64];
    const int tx = threadIdx.x, ty = threadIdx.y, t = ty * 64 + tx, top = blockIdx.y * 16, left = blockIdx.x * 64;
    float acc[4] = {};
    for (int k0 = 0; k0 < K; k0 += 16) {
        const int r = t / 16, k = t % 16;
        As[r][k] = top + r < M && k0 + k < K ? A[(top + r) * K + k0 + k] : 0.0f;
        for (int i = ty; i < 16; i += 4) Bs[i][tx] = k0 + i < K && left + tx < N ? B[(k0 + i) * N + left + tx] : 0.0f;
        __syncthreads();
#pragma unroll
        for (int p = 0; p < 16; ++p) {
            const float b = Bs[p][tx];
#pragma unroll
            for (int i = 0; i < 4; ++i) acc[i] += As[ty * 4 + i][p] * b;
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; ++i)
        if (top + ty * 4 + i < M && left + tx < N) C[(top + ty * 4 + i) * N + left + tx] = acc[i];
}
