// Two buffers in shared memory, one barrier a tile: the next tile waits in registers while this one is multiplied.
// block: 256
// grid: N//64,M//64
// multiples: 64,64,16
#define BLOCK 64
#define BK 16

extern "C" __global__ void __launch_bounds__(256) gemm(const float* __restrict__ A, const float* __restrict__ B,
                                                       float* __restrict__ C, int M, int N, int K)
{
    __shared__ float As[2][BK][BLOCK + 4], Bs[2][BK][BLOCK];
    const int thread = threadIdx.x, x = thread % 16, y = thread / 16;
    const int a_row = thread / 4, a_col = thread % 4 * 4, b_row = thread / 16, b_col = thread % 16 * 4;
    const float* a_at = A + (blockIdx.y * BLOCK + a_row) * K + a_col;
    const float* b_at = B + b_row * N + blockIdx.x * BLOCK + b_col;
    float sums[4][4] = {};
    float4 a_next = *reinterpret_cast<const float4*>(a_at), b_next = *reinterpret_cast<const float4*>(b_at);
    int buffer = 0;
    for (int k0 = 0; k0 < K; k0 += BK, buffer ^= 1) {
        As[buffer][a_col + 0][a_row] = a_next.x;
        As[buffer][a_col + 1][a_row] = a_next.y;
        As[buffer][a_col + 2][a_row] = a_next.z;
        As[buffer][a_col + 3][a_row] = a_next.w;
        *reinterpret_cast<float4*>(&Bs[buffer][b_row][b_col]) = b_next;
        __syncthreads();
        if (k0 + BK < K) {
            a_at += BK;
            b_at += BK * N;
            a_next = *reinterpret_cast<const float4*>(a_at);
            b_next = *reinterpret_cast<const float4*>(b_at);
        }
#pragma unroll
        for (int k = 0; k < BK; ++k) {
            const float4 a = *reinterpret_cast<const float4*>(&As[buffer][k][y * 4]);
            const float4 b = *reinterpret_cast<const float4*>(&Bs[buffer][k][x * 4]);
            const float as[4] = {a.x, a.y, a.z, a.w}, bs[4] = {b.x, b.y, b.z, b.w};
#pragma unroll
            for (int i = 0; i < 4; ++i) {
#pragma unroll
                for (int j = 0; j < 4; ++j) sums[i][j] += as[i] * bs[j];
            }
        }
    }
#pragma unroll
    for (int i = 0; i < 4; ++i)
        *reinterpret_cast<float4*>(&C[(blockIdx.y * BLOCK + y * 4 + i) * N + blockIdx.x * BLOCK + x * 4]) =
            make_float4(sums[i][0], sums[i][1], sums[i][2], sums[i][3]);
}
