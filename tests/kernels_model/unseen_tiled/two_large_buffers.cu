// 128 KB of dynamic shared memory: two buffers of tiles 64 deep, so that one block of 512 threads has the SM alone.
// block: 32,16
// grid: N//128,M//128
// smem: 2 * (128 + 128) * 64 * 4
// multiples: 128,128,64
#define SIDE 128
#define BK 64
#define TILE (SIDE * BK)

extern "C" __global__ void __launch_bounds__(512, 1) gemm(const float* __restrict__ A, const float* __restrict__ B,
                                                          float* __restrict__ C, int M, int N, int K)
{
    extern __shared__ float4 memory[];
    float *As = reinterpret_cast<float*>(memory), *Bs = As + 2 * TILE;
    const int tx = threadIdx.x, ty = threadIdx.y, t = ty * 32 + tx;
    A += blockIdx.y * SIDE * K;
    B += blockIdx.x * SIDE;
    C += blockIdx.y * SIDE * N + blockIdx.x * SIDE;
    auto fill = [&](int buffer, int k0) {
        for (int i = t; i < TILE / 4; i += 512) {
            *reinterpret_cast<float4*>(&As[buffer * TILE + 4 * i]) =
                *reinterpret_cast<const float4*>(&A[i / (BK / 4) * K + k0 + i % (BK / 4) * 4]);
            *reinterpret_cast<float4*>(&Bs[buffer * TILE + 4 * i]) =
                *reinterpret_cast<const float4*>(&B[(k0 + i / 32) * N + i % 32 * 4]);
        }
    };
    float sums[8][4] = {};
    fill(0, 0);
    __syncthreads();
    for (int k0 = 0, buffer = 0; k0 < K; k0 += BK, buffer ^= 1) {
        if (k0 + BK < K) fill(buffer ^ 1, k0 + BK);
        const float *a = As + buffer * TILE + ty * 8 * BK, *b = Bs + buffer * TILE + tx * 4;
#pragma unroll 4
        for (int k = 0; k < BK; ++k) {
            const float4 v = *reinterpret_cast<const float4*>(&b[k * SIDE]);
#pragma unroll
            for (int i = 0; i < 8; ++i) {
                sums[i][0] += a[i * BK + k] * v.x;
                sums[i][1] += a[i * BK + k] * v.y;
                sums[i][2] += a[i * BK + k] * v.z;
                sums[i][3] += a[i * BK + k] * v.w;
            }
        }
        __syncthreads();
    }
    for (int i = 0; i < 8; ++i)
        *reinterpret_cast<float4*>(&C[(ty * 8 + i) * N + tx * 4]) =
            make_float4(sums[i][0], sums[i][1], sums[i][2], sums[i][3]);
}
