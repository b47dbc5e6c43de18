// A column of eight sums a thread, 64 by 64 of C a block of 512 threads.
// block: 512
// grid: N//64,M//64
// multiples: 64,64,8
#define BM 64
#define BN 64
#define BK 8
#define TM 8

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float As[BM * BK], Bs[BK * BN];
    const int x = threadIdx.x % BN, y = threadIdx.x / BN;
    A += blockIdx.y * BM * K;
    B += blockIdx.x * BN;
    C += blockIdx.y * BM * N + blockIdx.x * BN;
    float sums[TM] = {0.0f};
    for (int k0 = 0; k0 < K; k0 += BK) {
        As[threadIdx.x] = A[threadIdx.x / BK * K + threadIdx.x % BK];
        Bs[threadIdx.x] = B[threadIdx.x / BN * N + threadIdx.x % BN];
        __syncthreads();
        A += BK;
        B += BK * N;
        for (int k = 0; k < BK; ++k) {
            const float b = Bs[k * BN + x];
            for (int i = 0; i < TM; ++i) sums[i] += As[(y * TM + i) * BK + k] * b;
        }
        __syncthreads();
    }
    for (int i = 0; i < TM; ++i) C[(y * TM + i) * N + x] = sums[i];
}
