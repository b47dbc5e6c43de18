// Four by four a thread on tiles of 32 by 128 that are 32 deep; float4 from global memory where N and K allow it.
// block: 32,8
// grid: cdiv(N,128),cdiv(M,32)
#define BM 32
#define BN 128
#define BK 32

__device__ float4 quad(const float* X, int row, int col, int rows, int cols)
{
    if (row >= rows) return make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    const float* x = X + row * cols + col;
    if (cols % 4 == 0 && col < cols) return *reinterpret_cast<const float4*>(x);
    return make_float4(col < cols ? x[0] : 0.0f, col + 1 < cols ? x[1] : 0.0f, col + 2 < cols ? x[2] : 0.0f,
                       col + 3 < cols ? x[3] : 0.0f);
}

extern "C" __global__ void gemm(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N,
                                int K)
{
    __shared__ float4 As[BM][BK / 4], Bs[BK][BN / 4];
    const int tx = threadIdx.x, ty = threadIdx.y, t = ty * 32 + tx, top = blockIdx.y * BM, left = blockIdx.x * BN;
    const float* a = reinterpret_cast<const float*>(As);
    float4 acc[4] = {};
    for (int k0 = 0; k0 < K; k0 += BK) {
        As[t / 8][t % 8] = quad(A, top + t / 8, k0 + t % 8 * 4, M, K);
#pragma unroll
        for (int k = ty; k < BK; k += 8) Bs[k][tx] = quad(B, k0 + k, left + tx * 4, K, N);
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < BK; ++k) {
            const float4 b = Bs[k][tx];
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                const float v = a[(ty * 4 + i) * BK + k];
                acc[i].x += v * b.x;
                acc[i].y += v * b.y;
                acc[i].z += v * b.z;
                acc[i].w += v * b.w;
            }
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; ++i) {
        const float sums[4] = {acc[i].x, acc[i].y, acc[i].z, acc[i].w};
        const int row = top + ty * 4 + i, col = left + tx * 4;
        for (int j = 0; j < 4; ++j)
            if (row < M && col + j < N) C[row * N + col + j] = sums[j];
    }
}
