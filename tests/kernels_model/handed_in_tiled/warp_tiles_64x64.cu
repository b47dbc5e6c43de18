// Four warps, each with 64 by 32 of a tile of 128 by 64; eight by eight a thread, lanes eight by four. 16 deep.
// block: 128
// grid: cdiv(N,64),cdiv(M,128)
extern "C" __global__ void gemm(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N,
                                int K)
{
    __shared__ __align__(16) float As[16][132], Bs[16][64];
    const int t = threadIdx.x, lane = t % 32, warp = t / 32, top = blockIdx.y * 128, left = blockIdx.x * 64;
    const int row = warp / 2 * 64 + lane / 4 * 8, col = warp % 2 * 32 + lane % 4 * 8;
    float acc[8][8] = {};
    for (int k0 = 0; k0 < K; k0 += 16) {
#pragma unroll
        for (int i = 0; i < 16; ++i) {
            const int r = t / 16 + 8 * i, k = t % 16;
            As[k][r] = top + r < M && k0 + k < K ? A[(top + r) * K + k0 + k] : 0.0f;
        }
#pragma unroll
        for (int i = 0; i < 8; ++i) {
            const int k = t / 64 + 2 * i, c = t % 64;
            Bs[k][c] = k0 + k < K && left + c < N ? B[(k0 + k) * N + left + c] : 0.0f;
        }
        __syncthreads();
#pragma unroll 4
        for (int k = 0; k < 16; ++k) {
            float a[8], b[8];
            *(float4*)a = *(const float4*)&As[k][row];
            *(float4*)(a + 4) = *(const float4*)&As[k][row + 4];
            *(float4*)b = *(const float4*)&Bs[k][col];
            *(float4*)(b + 4) = *(const float4*)&Bs[k][col + 4];
#pragma unroll
            for (int i = 0; i < 8; ++i)
#pragma unroll
                for (int j = 0; j < 8; ++j) acc[i][j] += a[i] * b[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < 8; ++i)
        for (int j = 0; j < 8; ++j)
            if (top + row + i < M && left + col + j < N) C[(top + row + i) * N + left + col + j] = acc[i][j];
}
