// A block is one warp, with four by four of a tile of 32 by 16 a lane; __syncwarp stands where others have barriers.
// block: 32
// grid: cdiv(N,16),cdiv(M,32)
#define BM 32
#define BN 16
#define BK 8

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float As[BM][BK + 1], Bs[BK][BN];
    const int lane = threadIdx.x, tx = lane % 4, ty = lane / 4, top = blockIdx.y * BM, left = blockIdx.x * BN;
    float acc[4][4] = {};
    for (int k0 = 0; k0 < K; k0 += BK) {
#pragma unroll
        for (int i = lane; i < BM * BK; i += 32)
            As[i / BK][i % BK] = top + i / BK < M && k0 + i % BK < K ? A[(top + i / BK) * K + k0 + i % BK] : 0.0f;
#pragma unroll
        for (int i = lane; i < BK * BN; i += 32)
            Bs[i / BN][i % BN] = k0 + i / BN < K && left + i % BN < N ? B[(k0 + i / BN) * N + left + i % BN] : 0.0f;
        __syncwarp();
#pragma unroll
        for (int k = 0; k < BK; ++k)
            for (int i = 0; i < 4; ++i)
                for (int j = 0; j < 4; ++j) acc[i][j] += As[ty + 8 * i][k] * Bs[k][tx + 4 * j];
        __syncwarp();
    }
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j)
            if (top + ty + 8 * i < M && left + tx + 4 * j < N) C[(top + ty + 8 * i) * N + left + tx + 4 * j] = acc[i][j];
}
