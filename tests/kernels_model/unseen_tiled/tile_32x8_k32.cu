// A block of 32 by 8 threads and of as much of C, with tiles 32 deep: a thread copies one element of A and four of B.
// block: 32,8
// grid: cdiv(N,32),cdiv(M,8)
#define BM 8
#define BN 32
#define BK 32

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float As[BM][BK], Bs[BK][BN];
    const int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * BM + ty, col = blockIdx.x * BN + tx;
    float sum = 0.0f;
    for (int k0 = 0; k0 < K; k0 += BK) {
        As[ty][tx] = row < M && k0 + tx < K ? A[row * K + k0 + tx] : 0.0f;
        for (int k = ty; k < BK; k += BM) Bs[k][tx] = k0 + k < K && col < N ? B[(k0 + k) * N + col] : 0.0f;
        __syncthreads();
        for (int k = 0; k < BK; ++k) sum += As[ty][k] * Bs[k][tx];
        __syncthreads();
    }
    if (row < M && col < N) C[row * N + col] = sum;
}
