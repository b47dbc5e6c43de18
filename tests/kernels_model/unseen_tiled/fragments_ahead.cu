// The fragments of the next k are read from the tile while those of this k are multiplied; the next tile waits in registers.
// block: 256
// grid: N//128,M//128
// multiples: 128,128,8
#define SIDE 128
#define BK 8

extern "C" __global__ void __launch_bounds__(256, 2) gemm(const float* __restrict__ A, const float* __restrict__ B,
                                                          float* __restrict__ C, int M, int N, int K)
{
    __shared__ __align__(16) float As[BK][SIDE + 4], Bs[BK][SIDE];
    const int t = threadIdx.x, x = t % 16, y = t / 16, ar = t / 2, ak = t % 2 * 4, bk = t / 32, bc = t % 32 * 4;
    A += blockIdx.y * SIDE * K;
    B += blockIdx.x * SIDE;
    C += blockIdx.y * SIDE * N + blockIdx.x * SIDE;
    float sums[8][8] = {}, a[2][8], b[2][8];
    float4 a_next = *reinterpret_cast<const float4*>(&A[ar * K + ak]);
    float4 b_next = *reinterpret_cast<const float4*>(&B[bk * N + bc]);
    auto fragments = [&](int which, int k) {
        for (int i = 0; i < 8; ++i) {
            a[which][i] = As[k][y * 4 + i % 4 + i / 4 * 64];
            b[which][i] = Bs[k][x * 4 + i % 4 + i / 4 * 64];
        }
    };
    for (int k0 = 0; k0 < K; k0 += BK) {
        As[ak][ar] = a_next.x;
        As[ak + 1][ar] = a_next.y;
        As[ak + 2][ar] = a_next.z;
        As[ak + 3][ar] = a_next.w;
        *reinterpret_cast<float4*>(&Bs[bk][bc]) = b_next;
        __syncthreads();
        if (k0 + BK < K) {
            a_next = *reinterpret_cast<const float4*>(&A[ar * K + k0 + BK + ak]);
            b_next = *reinterpret_cast<const float4*>(&B[(k0 + BK + bk) * N + bc]);
        }
        fragments(0, 0);
#pragma unroll
        for (int k = 0; k < BK; ++k) {
            if (k + 1 < BK) fragments((k + 1) % 2, k + 1);
#pragma unroll
            for (int i = 0; i < 8; ++i)
#pragma unroll
                for (int j = 0; j < 8; ++j) sums[i][j] += a[k % 2][i] * b[k % 2][j];
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 8; ++i)
#pragma unroll
        for (int j = 0; j < 8; j += 4)
            *reinterpret_cast<float4*>(&C[(y * 4 + i % 4 + i / 4 * 64) * N + x * 4 + j / 4 * 64]) =
                make_float4(sums[i][j], sums[i][j + 1], sums[i][j + 2], sums[i][j + 3]);
}
