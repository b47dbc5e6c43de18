// Eight by eight sums; float4 everywhere, and the tile of A is turned while it is stored.
// block: 256
// grid: N//128,M//128
// multiples: 128,128,8
#define BM 128
#define BN 128
#define BK 8

extern "C" __global__ void __launch_bounds__(256) gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float As[BK][BM], Bs[BK][BN];
    const int thread = threadIdx.x, x = thread % 16, y = thread / 16;
    const int a_row = thread / 2, a_col = thread % 2 * 4, b_row = thread / 32, b_col = thread % 32 * 4;
    A += blockIdx.y * BM * K;
    B += blockIdx.x * BN;
    C += blockIdx.y * BM * N + blockIdx.x * BN;
    float sums[8][8] = {};
    for (int k0 = 0; k0 < K; k0 += BK) {
        const float4 v = *reinterpret_cast<const float4*>(&A[a_row * K + k0 + a_col]);
        As[a_col + 0][a_row] = v.x;
        As[a_col + 1][a_row] = v.y;
        As[a_col + 2][a_row] = v.z;
        As[a_col + 3][a_row] = v.w;
        *reinterpret_cast<float4*>(&Bs[b_row][b_col]) = *reinterpret_cast<const float4*>(&B[(k0 + b_row) * N + b_col]);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < BK; ++k) {
            float a[8], b[8];
#pragma unroll
            for (int i = 0; i < 8; i += 4) {
                *reinterpret_cast<float4*>(&a[i]) = *reinterpret_cast<const float4*>(&As[k][y * 8 + i]);
                *reinterpret_cast<float4*>(&b[i]) = *reinterpret_cast<const float4*>(&Bs[k][x * 4 + 16 * i]);
            }
#pragma unroll
            for (int i = 0; i < 8; ++i) {
#pragma unroll
                for (int j = 0; j < 8; ++j) sums[i][j] += a[i] * b[j];
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 8; ++i) {
#pragma unroll
        for (int j = 0; j < 8; j += 4)
            *reinterpret_cast<float4*>(&C[(y * 8 + i) * N + x * 4 + 16 * j]) =
                make_float4(sums[i][j], sums[i][j + 1], sums[i][j + 2], sums[i][j + 3]);
    }
}
