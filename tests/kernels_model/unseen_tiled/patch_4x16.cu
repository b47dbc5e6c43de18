// Four rows and sixteen columns a thread, the columns in four float4 that lie 32 apart; A is kept turned and padded.
// block: 128
// grid: N//128,M//64
// multiples: 64,128,8
#define BM 64
#define BN 128
#define BK 8

extern "C" __global__ void __launch_bounds__(128) gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ __align__(16) float As[BK][BM + 4], Bs[BK][BN];
    const int t = threadIdx.x, x = t % 8, y = t / 8;
    A += blockIdx.y * BM * K;
    B += blockIdx.x * BN;
    C += blockIdx.y * BM * N + blockIdx.x * BN;
    float sums[4][16] = {};
    for (int k0 = 0; k0 < K; k0 += BK) {
        const float4 a4 = *reinterpret_cast<const float4*>(&A[t / 2 * K + k0 + t % 2 * 4]);
        As[t % 2 * 4][t / 2] = a4.x;
        As[t % 2 * 4 + 1][t / 2] = a4.y;
        As[t % 2 * 4 + 2][t / 2] = a4.z;
        As[t % 2 * 4 + 3][t / 2] = a4.w;
        for (int k = t / 32; k < BK; k += 4)
            *reinterpret_cast<float4*>(&Bs[k][t % 32 * 4]) = *reinterpret_cast<const float4*>(&B[(k0 + k) * N + t % 32 * 4]);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < BK; ++k) {
            const float4 v = *reinterpret_cast<const float4*>(&As[k][y * 4]);
            const float a[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
            for (int group = 0; group < 4; ++group) {
                const float4 w = *reinterpret_cast<const float4*>(&Bs[k][group * 32 + x * 4]);
                const float b[4] = {w.x, w.y, w.z, w.w};
#pragma unroll
                for (int i = 0; i < 4; ++i)
#pragma unroll
                    for (int j = 0; j < 4; ++j) sums[i][group * 4 + j] += a[i] * b[j];
            }
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; ++i)
        for (int group = 0; group < 4; ++group)
            *reinterpret_cast<float4*>(&C[(y * 4 + i) * N + group * 32 + x * 4]) =
                make_float4(sums[i][group * 4], sums[i][group * 4 + 1], sums[i][group * 4 + 2], sums[i][group * 4 + 3]);
}
