// A thread computes four neighbouring columns and moves them as one float4. N and K are multiples of 4.
// block: 16,16
// grid: cdiv(N,64),cdiv(M,16)
// shape: 64,128,64
#define BM 16
#define BN 64
#define BK 16

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ __align__(16) float As[BM][BK];
    __shared__ __align__(16) float Bs[BK][BN];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * BM + ty, col = blockIdx.x * BN + 4 * tx;
    float4 acc = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    for (int k0 = 0; k0 < K; k0 += BK) {
        As[ty][tx] = (row < M && k0 + tx < K) ? A[row * K + k0 + tx] : 0.0f;
        float4 b = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        if (k0 + ty < K && col < N) b = *reinterpret_cast<const float4*>(&B[(k0 + ty) * N + col]);
        *reinterpret_cast<float4*>(&Bs[ty][4 * tx]) = b;
        __syncthreads();
        for (int k = 0; k < BK; ++k) {
            const float a = As[ty][k];
            const float4 s = *reinterpret_cast<const float4*>(&Bs[k][4 * tx]);
            acc.x += a * s.x;
            acc.y += a * s.y;
            acc.z += a * s.z;
            acc.w += a * s.w;
        }
        __syncthreads();
    }
    if (row < M && col < N) *reinterpret_cast<float4*>(&C[row * N + col]) = acc;
}
