// Four by four sums a thread, each thread's columns beside each other.
// block: (BM // TM) * (BN // TN)
// grid: N // BN,M // BM
// multiples: 64,64,8
#define BM 64
#define BN 64
#define BK 8
#define TM 4
#define TN 4
#define THREADS ((BM / TM) * (BN / TN))

extern "C" __global__ void __launch_bounds__(THREADS) gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float As[BM * BK], Bs[BK * BN];
    const int thread = threadIdx.x, x = thread % (BN / TN), y = thread / (BN / TN);
    A += blockIdx.y * BM * K;
    B += blockIdx.x * BN;
    C += blockIdx.y * BM * N + blockIdx.x * BN;
    float sums[TM * TN] = {0.0f}, a[TM], b[TN];
    for (int k0 = 0; k0 < K; k0 += BK) {
        for (int i = thread; i < BM * BK; i += THREADS) As[i] = A[i / BK * K + i % BK];
        for (int i = thread; i < BK * BN; i += THREADS) Bs[i] = B[i / BN * N + i % BN];
        __syncthreads();
        A += BK;
        B += BK * N;
        for (int k = 0; k < BK; ++k) {
            for (int i = 0; i < TM; ++i) a[i] = As[(y * TM + i) * BK + k];
            for (int j = 0; j < TN; ++j) b[j] = Bs[k * BN + x * TN + j];
            for (int i = 0; i < TM; ++i)
                for (int j = 0; j < TN; ++j) sums[i * TN + j] += a[i] * b[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < TM; ++i)
        for (int j = 0; j < TN; ++j) C[(y * TM + i) * N + x * TN + j] = sums[i * TN + j];
}
