// A thread computes TM elements of a column of C.
// block: 64,8
// grid: cdiv(N,64),cdiv(M,64)
// shape: 128,128,64
#define BM 64
#define BN 64
#define BK 8
#define TM 8

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float As[BM][BK];
    __shared__ float Bs[BK][BN];
    const int tx = threadIdx.x, ty = threadIdx.y, t = ty * BN + tx;
    const int row0 = blockIdx.y * BM, col = blockIdx.x * BN + tx;
    const int ar = t / BK, ac = t % BK;
    float acc[TM] = {};
    for (int k0 = 0; k0 < K; k0 += BK) {
        As[ar][ac] = (row0 + ar < M && k0 + ac < K) ? A[(row0 + ar) * K + k0 + ac] : 0.0f;
        Bs[ty][tx] = (k0 + ty < K && col < N) ? B[(k0 + ty) * N + col] : 0.0f;
        __syncthreads();
        for (int k = 0; k < BK; ++k) {
            const float b = Bs[k][tx];
            for (int i = 0; i < TM; ++i) acc[i] += As[ty * TM + i][k] * b;
        }
        __syncthreads();
    }
    for (int i = 0; i < TM; ++i) {
        const int row = row0 + ty * TM + i;
        if (row < M && col < N) C[row * N + col] = acc[i];
    }
}
