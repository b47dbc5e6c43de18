// Eight rows and two columns a thread; the column pair is a float2 of the tile, A is read row by row.
// block: 32,8
// grid: cdiv(N,64),cdiv(M,64)
#define BM 64
#define BN 64
#define BK 16

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float As[BM][BK];
    __shared__ float2 Bs[BK][BN / 2];
    const int tx = threadIdx.x, ty = threadIdx.y, t = ty * 32 + tx, top = blockIdx.y * BM, left = blockIdx.x * BN;
    float* flat = reinterpret_cast<float*>(Bs);
    float sums[8][2] = {};
    for (int k0 = 0; k0 < K; k0 += BK) {
        for (int i = t; i < BM * BK; i += 256) {
            const int r = i / BK, k = i % BK;
            As[r][k] = top + r < M && k0 + k < K ? A[(top + r) * K + k0 + k] : 0.0f;
        }
        for (int i = t; i < BK * BN; i += 256) {
            const int k = i / BN, c = i % BN;
            flat[i] = k0 + k < K && left + c < N ? B[(k0 + k) * N + left + c] : 0.0f;
        }
        __syncthreads();
        for (int k = 0; k < BK; ++k) {
            const float2 b = Bs[k][tx];
#pragma unroll
            for (int i = 0; i < 8; ++i) {
                const float a = As[ty * 8 + i][k];
                sums[i][0] += a * b.x;
                sums[i][1] += a * b.y;
            }
        }
        __syncthreads();
    }
    for (int i = 0; i < 8; ++i)
        for (int j = 0; j < 2; ++j)
            if (top + ty * 8 + i < M && left + 2 * tx + j < N) C[(top + ty * 8 + i) * N + left + 2 * tx + j] = sums[i][j];
}
