// Copies of 16 bytes by cp.async into two stages, 64 by 64 and 16 deep; where rows are no multiples of four, plain loads.
// block: 16,16
// grid: cdiv(N,64),cdiv(M,64)
#include <cuda_pipeline.h>
#define SIDE 64
#define BK 16

extern "C" __global__ void gemm(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N,
                                int K)
{
    __shared__ __align__(16) float As[2][SIDE][BK], Bs[2][BK][SIDE];
    const int tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx, top = blockIdx.y * SIDE, left = blockIdx.x * SIDE;
    const int ar = t / 4, ak = t % 4 * 4, bk = t / 16, bc = t % 16 * 4;
    const bool quads = K % 4 == 0 && N % 4 == 0;
    auto copy = [&](int stage, int k0) {
        if (quads) {
            const bool a_in = top + ar < M && k0 + ak < K, b_in = k0 + bk < K && left + bc < N;
            __pipeline_memcpy_async(&As[stage][ar][ak], a_in ? A + (top + ar) * K + k0 + ak : A, 16, a_in ? 0 : 16);
            __pipeline_memcpy_async(&Bs[stage][bk][bc], b_in ? B + (k0 + bk) * N + left + bc : B, 16, b_in ? 0 : 16);
        } else {
            for (int i = 0; i < 4; ++i) {
                As[stage][ar][ak + i] = top + ar < M && k0 + ak + i < K ? A[(top + ar) * K + k0 + ak + i] : 0.0f;
                Bs[stage][bk][bc + i] = k0 + bk < K && left + bc + i < N ? B[(k0 + bk) * N + left + bc + i] : 0.0f;
            }
        }
        __pipeline_commit();
    };
    float acc[4][4] = {};
    copy(0, 0);
    for (int k0 = 0, stage = 0; k0 < K; k0 += BK, stage ^= 1) {
        __pipeline_wait_prior(0);
        __syncthreads();
        if (k0 + BK < K) copy(stage ^ 1, k0 + BK);
#pragma unroll
        for (int k = 0; k < BK; ++k) {
            const float4 b = *reinterpret_cast<const float4*>(&Bs[stage][k][tx * 4]);
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                const float a = As[stage][ty + 16 * i][k];
                acc[i][0] += a * b.x;
                acc[i][1] += a * b.y;
                acc[i][2] += a * b.z;
                acc[i][3] += a * b.w;
            }
        }
    }
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j)
            if (top + ty + 16 * i < M && left + tx * 4 + j < N) C[(top + ty + 16 * i) * N + left + tx * 4 + j] = acc[i][j];
}
