// Two rows and eight columns a thread, the columns in two float4; 512 threads and tiles 32 deep.
// block: 16,32
// grid: N//128,M//64
// multiples: 64,128,32
#define BM 64
#define BN 128
#define BK 32

extern "C" __global__ void __launch_bounds__(512) gemm(const float* __restrict__ A, const float* __restrict__ B,
                                                       float* __restrict__ C, int M, int N, int K)
{
    __shared__ float As[BM][BK], Bs[BK][BN];
    const int tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx;
    A += blockIdx.y * BM * K;
    B += blockIdx.x * BN;
    C += blockIdx.y * BM * N + blockIdx.x * BN;
    float sums[2][8] = {};
    for (int k0 = 0; k0 < K; k0 += BK) {
        reinterpret_cast<float4*>(As)[t] = *reinterpret_cast<const float4*>(&A[t / 8 * K + k0 + t % 8 * 4]);
        for (int half = 0; half < BK; half += 16)
            *reinterpret_cast<float4*>(&Bs[t / 32 + half][t % 32 * 4]) =
                *reinterpret_cast<const float4*>(&B[(k0 + t / 32 + half) * N + t % 32 * 4]);
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < BK; ++k) {
            const float4 near = *reinterpret_cast<float4*>(&Bs[k][tx * 4]), far = *reinterpret_cast<float4*>(&Bs[k][tx * 4 + 64]);
            const float b[8] = {near.x, near.y, near.z, near.w, far.x, far.y, far.z, far.w};
            for (int i = 0; i < 2; ++i)
                for (int j = 0; j < 8; ++j) sums[i][j] += As[ty * 2 + i][k] * b[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 8; ++j) C[(ty * 2 + i) * N + tx * 4 + j % 4 + j / 4 * 64] = sums[i][j];
}
