// Tiles four deep: each thread copies one element of each, and there are two barriers for four k.
// block: 16,16
// grid: cdiv(N,64),cdiv(M,64)
#define BM 64
#define BN 64
#define BK 4

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float As[BK][BM], Bs[BK][BN];
    const int tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx, top = blockIdx.y * BM, left = blockIdx.x * BN;
    const int ar = t / BK, ak = t % BK, bk = t / BN, bc = t % BN;
    float sums[4][4] = {};
    for (int k0 = 0; k0 < K; k0 += BK) {
        As[ak][ar] = top + ar < M && k0 + ak < K ? A[(top + ar) * K + k0 + ak] : 0.0f;
        Bs[bk][bc] = k0 + bk < K && left + bc < N ? B[(k0 + bk) * N + left + bc] : 0.0f;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < BK; ++k)
#pragma unroll
            for (int i = 0; i < 4; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j) sums[i][j] += As[k][ty * 4 + i] * Bs[k][tx * 4 + j];
        __syncthreads();
    }
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j)
            if (top + ty * 4 + i < M && left + tx * 4 + j < N) C[(top + ty * 4 + i) * N + left + tx * 4 + j] = sums[i][j];
}
