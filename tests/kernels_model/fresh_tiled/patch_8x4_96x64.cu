// Eight by four a thread, 192 threads on tiles of 96 by 64, and the next tiles wait in registers.
// block: 192
// grid: cdiv(N,64),cdiv(M,96)
#define BM 96
#define BN 64
#define BK 16
#define OF_A (BM * BK / 192)
#define OF_B ((BK * BN + 191) / 192)

extern "C" __global__ void gemm(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N,
                                int K)
{
    __shared__ float As[BK][BM + 1], Bs[BK][BN];
    const int t = threadIdx.x, tx = t % 16, ty = t / 16, top = blockIdx.y * BM, left = blockIdx.x * BN;
    float a_next[OF_A], b_next[OF_B], acc[8][4] = {};
    auto load = [&](int k0) {
#pragma unroll
        for (int i = 0; i < OF_A; ++i) {
            const int r = (t + 192 * i) / BK, k = (t + 192 * i) % BK;
            a_next[i] = top + r < M && k0 + k < K ? A[(top + r) * K + k0 + k] : 0.0f;
        }
#pragma unroll
        for (int i = 0; i < OF_B; ++i) {
            const int k = (t + 192 * i) / BN, c = (t + 192 * i) % BN;
            b_next[i] = k < BK && k0 + k < K && left + c < N ? B[(k0 + k) * N + left + c] : 0.0f;
        }
    };
    load(0);
    for (int k0 = 0; k0 < K; k0 += BK) {
#pragma unroll
        for (int i = 0; i < OF_A; ++i) As[(t + 192 * i) % BK][(t + 192 * i) / BK] = a_next[i];
#pragma unroll
        for (int i = 0; i < OF_B; ++i)
            if (t + 192 * i < BK * BN) Bs[(t + 192 * i) / BN][(t + 192 * i) % BN] = b_next[i];
        __syncthreads();
        if (k0 + BK < K) load(k0 + BK);
#pragma unroll
        for (int k = 0; k < BK; ++k) {
            float a[8], b[4];
#pragma unroll
            for (int i = 0; i < 8; ++i) a[i] = As[k][ty * 8 + i];
#pragma unroll
            for (int j = 0; j < 4; ++j) b[j] = Bs[k][tx + 16 * j];
#pragma unroll
            for (int i = 0; i < 8; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j) acc[i][j] += a[i] * b[j];
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 8; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j)
            if (top + ty * 8 + i < M && left + tx + 16 * j < N) C[(top + ty * 8 + i) * N + left + tx + 16 * j] = acc[i][j];
}
