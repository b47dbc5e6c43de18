// bug: none - a thread computes 4x4 elements as outer products of two fragments
// expect: ok
// diag: no error finding at any shape
// block: 8,8
// grid: cdiv(N,32),cdiv(M,32)
// smem: 0
// shape_fail: none
// shape_pass: 35,45,25; 64,32,16; 31,33,7
// at_pass: ok
template <int BM, int BN, int BK, int TM, int TN>
__device__ void multiply(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float As[BM][BK], Bs[BK][BN];
    const int threads = blockDim.x * blockDim.y, id = threadIdx.y * blockDim.x + threadIdx.x;
    const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
    float acc[TM][TN] = {};
    for (int k0 = 0; k0 < K; k0 += BK) {
        for (int e = id; e < BM * BK; e += threads) {
            const int i = e / BK, k = e % BK;
            As[i][k] = row0 + i < M && k0 + k < K ? A[(row0 + i) * K + k0 + k] : 0.0f;
        }
        for (int e = id; e < BK * BN; e += threads) {
            const int k = e / BN, j = e % BN;
            Bs[k][j] = k0 + k < K && col0 + j < N ? B[(k0 + k) * N + col0 + j] : 0.0f;
        }
        __syncthreads();
        for (int k = 0; k < BK; ++k) {
            float a[TM], b[TN];
            for (int i = 0; i < TM; ++i) a[i] = As[threadIdx.y * TM + i][k];
            for (int j = 0; j < TN; ++j) b[j] = Bs[k][threadIdx.x * TN + j];
            for (int i = 0; i < TM; ++i)
                for (int j = 0; j < TN; ++j) acc[i][j] += a[i] * b[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < TM; ++i)
        for (int j = 0; j < TN; ++j) {
            const int row = row0 + threadIdx.y * TM + i, col = col0 + threadIdx.x * TN + j;
            if (row < M && col < N) C[row * N + col] = acc[i][j];
        }
}

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    multiply<32, 32, 8, 4, 4>(A, B, C, M, N, K);
}
