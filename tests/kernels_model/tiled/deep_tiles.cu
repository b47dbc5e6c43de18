// Tiles 128 deep in dynamic shared memory: 96 KB a block, so that two blocks fit on an SM.
// block: 256
// grid: N//64,M//128
// smem: (128 + 64) * 128 * 4
// multiples: 128,64,128
#define BM 128
#define BN 64
#define BK 128

extern "C" __global__ void __launch_bounds__(256) gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    extern __shared__ float tiles[];
    float *As = tiles, *Bs = tiles + BM * BK;
    const int thread = threadIdx.x, x = thread % 16, y = thread / 16;
    float sums[8][4] = {};
    for (int k0 = 0; k0 < K; k0 += BK) {
        for (int i = thread; i < BM * BK; i += 256) As[i] = A[(blockIdx.y * BM + i / BK) * K + k0 + i % BK];
        for (int i = thread; i < BK * BN; i += 256) Bs[i] = B[(k0 + i / BN) * N + blockIdx.x * BN + i % BN];
        __syncthreads();
#pragma unroll 4
        for (int k = 0; k < BK; ++k) {
            float b[4];
            for (int j = 0; j < 4; ++j) b[j] = Bs[k * BN + x + 16 * j];
            for (int i = 0; i < 8; ++i) {
                const float a = As[(y + 16 * i) * BK + k];
                for (int j = 0; j < 4; ++j) sums[i][j] += a * b[j];
            }
        }
        __syncthreads();
    }
    for (int i = 0; i < 8; ++i)
        for (int j = 0; j < 4; ++j)
            C[(blockIdx.y * BM + y + 16 * i) * N + blockIdx.x * BN + x + 16 * j] = sums[i][j];
}
