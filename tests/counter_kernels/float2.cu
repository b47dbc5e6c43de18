// As float4.cu with pairs: a half warp's 8-byte accesses fill all banks.
// block: 32,8
// grid: cdiv(N,64),cdiv(M,8)
// shape: 32,128,48
#define BM 8
#define BN 64
#define BK 8

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ __align__(8) float2 Bs[BK][BN / 2];
    __shared__ float As[BM][BK];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * BM + ty, col = blockIdx.x * BN + 2 * tx;
    float2 acc = make_float2(0.0f, 0.0f);
    for (int k0 = 0; k0 < K; k0 += BK) {
        if (tx < BK) As[ty][tx] = (row < M && k0 + tx < K) ? A[row * K + k0 + tx] : 0.0f;
        float2 b = make_float2(0.0f, 0.0f);
        if (k0 + ty < K && col < N) b = *reinterpret_cast<const float2*>(&B[(k0 + ty) * N + col]);
        Bs[ty][tx] = b;
        __syncthreads();
        for (int k = 0; k < BK; ++k) {
            const float a = As[ty][k];
            acc.x += a * Bs[k][tx].x;
            acc.y += a * Bs[k][tx].y;
        }
        __syncthreads();
    }
    if (row < M && col < N) *reinterpret_cast<float2*>(&C[row * N + col]) = acc;
}
