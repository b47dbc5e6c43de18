// expect: counter
// says: does not use what it reads for its whole patch; 1.03125 floats read from shared memory
// The kernel of lesson 05, made to fit the launch: thirty-two results in a column.
#define BM 64
#define BN 64
#define BK 16
#define TM 32
#define THREADS (BN * (BM / TM))

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float As[BM][BK];
    __shared__ float Bs[BK][BN];
    const int tid = threadIdx.y * blockDim.x + threadIdx.x;
    const int tx = tid % BN;
    const int ty = tid / BN;
    const int row0 = blockIdx.y * BM;
    const int col0 = blockIdx.x * BN;
    const int row = row0 + ty * TM;
    const int col = col0 + tx;
    float acc[TM] = {};
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
            const float b = Bs[k][tx];
            for (int m = 0; m < TM; ++m) {
                acc[m] += As[ty * TM + m][k] * b;
            }
        }
        __syncthreads();
    }
    for (int m = 0; m < TM; ++m) {
        if (row + m < M && col < N) {
            C[(row + m) * N + col] = acc[m];
        }
    }
}
