// Warp tiles: four warps, each with 32 by 32 of a 64 by 64 block, its lanes eight by four.
// block: 128
// grid: N//64,M//64
// multiples: 64,64,8
#define BM 64
#define BN 64
#define BK 8

extern "C" __global__ void __launch_bounds__(128) gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float As[BK][BM], Bs[BK][BN];
    const int thread = threadIdx.x, warp = thread / 32, lane = thread % 32;
    const int row = warp / 2 * 32 + lane / 4 * 4, col = warp % 2 * 32 + lane % 4 * 8;
    A += blockIdx.y * BM * K;
    B += blockIdx.x * BN;
    C += blockIdx.y * BM * N + blockIdx.x * BN;
    float sums[4][8] = {};
    for (int k0 = 0; k0 < K; k0 += BK) {
        const float4 a4 = *reinterpret_cast<const float4*>(&A[thread / 2 * K + k0 + thread % 2 * 4]);
        As[thread % 2 * 4 + 0][thread / 2] = a4.x;
        As[thread % 2 * 4 + 1][thread / 2] = a4.y;
        As[thread % 2 * 4 + 2][thread / 2] = a4.z;
        As[thread % 2 * 4 + 3][thread / 2] = a4.w;
        *reinterpret_cast<float4*>(&Bs[thread / 16][thread % 16 * 4]) =
            *reinterpret_cast<const float4*>(&B[(k0 + thread / 16) * N + thread % 16 * 4]);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < BK; ++k) {
            float a[4], b[8];
#pragma unroll
            for (int i = 0; i < 4; ++i) a[i] = As[k][row + i];
#pragma unroll
            for (int j = 0; j < 8; ++j) b[j] = Bs[k][col + j];
#pragma unroll
            for (int i = 0; i < 4; ++i) {
#pragma unroll
                for (int j = 0; j < 8; ++j) sums[i][j] += a[i] * b[j];
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) {
#pragma unroll
        for (int j = 0; j < 8; ++j) C[(row + i) * N + col + j] = sums[i][j];
    }
}
