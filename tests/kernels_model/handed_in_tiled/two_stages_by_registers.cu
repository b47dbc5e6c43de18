// Two stages of shared memory; the next tiles wait in registers while this pair is multiplied. 64 by 64, 16 deep.
// block: 256
// grid: cdiv(N,64),cdiv(M,64)
#define S 64
#define D 16
extern "C" __global__ void gemm(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N,
                                int K)
{
    __shared__ float As[2][D][S + 1], Bs[2][D][S];
    const int t = threadIdx.x, tx = t % 16, ty = t / 16, top = blockIdx.y * S, left = blockIdx.x * S;
    float ra[4], rb[4], acc[4][4] = {};
    auto load = [&](int k0) {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            const int r = t / D + 16 * i, k = t % D, p = t / S + 4 * i, c = t % S;
            ra[i] = top + r < M && k0 + k < K ? A[(top + r) * K + k0 + k] : 0.0f;
            rb[i] = k0 + p < K && left + c < N ? B[(k0 + p) * N + left + c] : 0.0f;
        }
    };
    auto keep = [&](int s) {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            As[s][t % D][t / D + 16 * i] = ra[i];
            Bs[s][t / S + 4 * i][t % S] = rb[i];
        }
    };
    load(0);
    keep(0);
    __syncthreads();
    int stage = 0;
    for (int k0 = 0; k0 < K; k0 += D) {
        const bool more = k0 + D < K;
        if (more) load(k0 + D);
#pragma unroll
        for (int k = 0; k < D; ++k)
#pragma unroll
            for (int i = 0; i < 4; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j) acc[i][j] += As[stage][k][ty * 4 + i] * Bs[stage][k][tx + 16 * j];
        if (more) keep(stage ^ 1);
        __syncthreads();
        stage ^= 1;
    }
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j)
            if (top + ty * 4 + i < M && left + tx + 16 * j < N) C[(top + ty * 4 + i) * N + left + tx + 16 * j] = acc[i][j];
}
