// 1024 threads, 16 across and 64 down; the tile of B is copied by a quarter of them.
// block: 16,64
// grid: cdiv(N,16),cdiv(M,64)
#define BM 64
#define BN 16
#define BK 16

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float As[BM][BK], Bs[BK][BN];
    const int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * BM + ty, col = blockIdx.x * BN + tx;
    float sum = 0.0f;
    for (int k0 = 0; k0 < K; k0 += BK) {
        As[ty][tx] = row < M && k0 + tx < K ? A[row * K + k0 + tx] : 0.0f;
        if (ty < BK) Bs[ty][tx] = k0 + ty < K && col < N ? B[(k0 + ty) * N + col] : 0.0f;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < BK; ++k) sum += As[ty][k] * Bs[k][tx];
        __syncthreads();
    }
    if (row < M && col < N) C[row * N + col] = sum;
}
