// Two warps with sixteen by eight sums a thread: 128 registers of sums, and few warps to hide a wait behind.
// block: 64
// grid: N//64,M//128
// multiples: 128,64,16
#define BM 128
#define BN 64
#define BK 16

extern "C" __global__ void __launch_bounds__(64) gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ __align__(16) float As[BK][BM + 4], Bs[BK][BN];
    const int t = threadIdx.x, x = t % 8, y = t / 8;
    A += blockIdx.y * BM * K;
    B += blockIdx.x * BN;
    C += blockIdx.y * BM * N + blockIdx.x * BN;
    float sums[16][8] = {};
    for (int k0 = 0; k0 < K; k0 += BK) {
        for (int r = t / 4; r < BM; r += 16) {
            const float4 v = *reinterpret_cast<const float4*>(&A[r * K + k0 + t % 4 * 4]);
            As[t % 4 * 4][r] = v.x;
            As[t % 4 * 4 + 1][r] = v.y;
            As[t % 4 * 4 + 2][r] = v.z;
            As[t % 4 * 4 + 3][r] = v.w;
        }
        for (int k = t / 16; k < BK; k += 4)
            *reinterpret_cast<float4*>(&Bs[k][t % 16 * 4]) = *reinterpret_cast<const float4*>(&B[(k0 + k) * N + t % 16 * 4]);
        __syncthreads();
#pragma unroll 2
        for (int k = 0; k < BK; ++k) {
            float a[16], b[8];
#pragma unroll
            for (int i = 0; i < 16; ++i) a[i] = As[k][y * 4 + i % 4 + i / 4 * 32];
#pragma unroll
            for (int j = 0; j < 8; ++j) b[j] = Bs[k][x * 4 + j % 4 + j / 4 * 32];
#pragma unroll
            for (int i = 0; i < 16; ++i)
#pragma unroll
                for (int j = 0; j < 8; ++j) sums[i][j] += a[i] * b[j];
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 16; ++i)
#pragma unroll
        for (int j = 0; j < 8; ++j) C[(y * 4 + i % 4 + i / 4 * 32) * N + x * 4 + j % 4 + j / 4 * 32] = sums[i][j];
}
