// launcher: run_sgemm
// expect: passed
#include <cassert>
#include <cuda_runtime.h>

template <const int BM, const int BN, const int BK, const int TM, const int TN>
__global__ void sgemm(int M, int N, int K, float alpha, const float* A, const float* B, float beta, float* C) {
    __shared__ float As[BM * BK];
    __shared__ float Bs[BK * BN];
    const int threads = (BM / TM) * (BN / TN);
    const int tx = threadIdx.x % (BN / TN), ty = threadIdx.x / (BN / TN);
    float acc[TM][TN] = {};
    for (int k0 = 0; k0 < K; k0 += BK) {
        for (int i = threadIdx.x; i < BM * BK; i += threads) {
            const int row = blockIdx.y * BM + i / BK, k = k0 + i % BK;
            As[i] = row < M && k < K ? A[row * K + k] : 0.0f;
        }
        for (int i = threadIdx.x; i < BK * BN; i += threads) {
            const int k = k0 + i / BN, col = blockIdx.x * BN + i % BN;
            Bs[i] = k < K && col < N ? B[k * N + col] : 0.0f;
        }
        __syncthreads();
        for (int k = 0; k < BK; ++k)
            for (int i = 0; i < TM; ++i)
                for (int j = 0; j < TN; ++j)
                    acc[i][j] += As[(ty * TM + i) * BK + k] * Bs[k * BN + tx * TN + j];
        __syncthreads();
    }
    for (int i = 0; i < TM; ++i)
        for (int j = 0; j < TN; ++j) {
            const int row = blockIdx.y * BM + ty * TM + i, col = blockIdx.x * BN + tx * TN + j;
            if (row < M && col < N) {
                const float old = beta == 0.0f ? 0.0f : beta * C[row * N + col];
                C[row * N + col] = alpha * acc[i][j] + old;
            }
        }
}

void run_sgemm(const float* A, const float* B, float* C, int M, int N, int K) {
    const uint BK = 8;
    const uint TM = 4, TN = 4;
    float alpha = 1.0f, beta = 0.0f;
    if (M >= 64 && N >= 64) {
        const uint BM = 64, BN = 64;
        dim3 gridDim((N + BN - 1) / BN, (M + BM - 1) / BM);
        dim3 blockDim((BM * BN) / (TM * TN));
        assert(blockDim.x == 256);
        sgemm<BM, BN, BK, TM, TN><<<gridDim, blockDim>>>(M, N, K, alpha, A, B, beta, C);
    } else {
        const uint BM = 32;
        const uint BN = 32;
        dim3 gridDim((N + BN - 1) / BN, (M + BM - 1) / BM);
        dim3 blockDim((BM * BN) / (TM * TN));
        sgemm<BM, BN, BK, TM, TN><<<gridDim, blockDim>>>(M, N, K, alpha, A, B, beta, C);
    }
}
