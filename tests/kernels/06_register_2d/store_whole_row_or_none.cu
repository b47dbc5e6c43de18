// expect: wrong_result
// says: Columns from 20 on of C were never written
// A row of the patch that hangs over the edge is not stored at all.
#define BM 64
#define BN 64
#define BK 16
#define TM 4
#define TN 4
#define THREADS ((BN / TN) * (BM / TM))

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float As[BM][BK];
    __shared__ float Bs[BK][BN];
    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int tid = ty * (BN / TN) + tx;
    const int row0 = blockIdx.y * BM;
    const int col0 = blockIdx.x * BN;
    const int row = row0 + ty * TM;
    const int col = col0 + tx * TN;
    float acc[TM][TN] = {};
    for (int k0 = 0; k0 < K; k0 += BK) {
        for (int i = tid; i < BM * BK; i += THREADS) {
            const int r = i / BK;
            const int c = i % BK;
            As[r][c] = (row0 + r < M && k0 + c < K) ? A[(row0 + r) * K + (k0 + c)] : 0.0f;
        }
        for (int i = tid; i < BK * BN; i += THREADS) {
            const int r = i / BN;
            const int c = i % BN;
            Bs[r][c] = (k0 + r < K && col0 + c < N) ? B[(k0 + r) * N + (col0 + c)] : 0.0f;
        }
        __syncthreads();
        for (int k = 0; k < BK; ++k) {
            float a[TM];
            float b[TN];
            for (int m = 0; m < TM; ++m) {
                a[m] = As[ty * TM + m][k];
            }
            for (int n = 0; n < TN; ++n) {
                b[n] = Bs[k][tx * TN + n];
            }
            for (int m = 0; m < TM; ++m) {
                for (int n = 0; n < TN; ++n) {
                    acc[m][n] += a[m] * b[n];
                }
            }
        }
        __syncthreads();
    }
    for (int m = 0; m < TM; ++m) {
        for (int n = 0; n < TN; ++n) {
            if (row + m < M && col + TN - 1 < N) {
                C[(row + m) * N + (col + n)] = acc[m][n];
            }
        }
    }
}
