// Lesson 13: C = A·B, as fast as cuBLAS at every shape of the board. A is M×K, B is K×N, C is M×N, row-major float32.
// All of this file is yours: as many kernels as you like, and the launcher at the end. It begins with the kernel of
// lesson 05, which is right at every shape and fast at none.
#define BM 64
#define BN 64
#define BK 16
#define TM 16
#define THREADS (BN * (BM / TM))

__global__ void __launch_bounds__(THREADS)
register_1d(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float As[BM][BK];
    __shared__ float Bs[BK][BN];

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int tid = ty * BN + tx;
    const int row0 = blockIdx.y * BM;  // where the block's tile begins in C
    const int col0 = blockIdx.x * BN;
    const int row = row0 + ty * TM;  // where the thread's elements begin in C
    const int col = col0 + tx;
    const int a_row = tid / BK, a_col = tid % BK, a_band = THREADS / BK;
    const int b_row = tid / BN, b_col = tid % BN, b_band = THREADS / BN;

    float acc[TM] = {};
    for (int k0 = 0; k0 < K; k0 += BK) {
        // Outside the matrix put 0. No thread may return here: all must reach both barriers.
        for (int i = 0; i < BM; i += a_band) {
            const int r = a_row + i;
            As[r][a_col] = (row0 + r < M && k0 + a_col < K) ? A[(row0 + r) * K + (k0 + a_col)] : 0.0f;
        }
        for (int i = 0; i < BK; i += b_band) {
            const int r = b_row + i;
            Bs[r][b_col] = (k0 + r < K && col0 + b_col < N) ? B[(k0 + r) * N + (col0 + b_col)] : 0.0f;
        }
        __syncthreads();  // read after write
        for (int k = 0; k < BK; ++k) {
            const float b = Bs[k][tx];
            for (int m = 0; m < TM; ++m) {
                acc[m] += As[ty * TM + m][k] * b;
            }
        }
        __syncthreads();  // write after read
    }
    for (int m = 0; m < TM; ++m) {
        if (row + m < M && col < N) {
            C[(row + m) * N + col] = acc[m];
        }
    }
}

// The launcher. It is read for each shape, and never run: numbers, dim3, if, <<<>>>, cudaMalloc and cudaMemset are
// understood. A, B and C lie on the GPU. Choose here which kernel a shape gets.
extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K)
{
    const dim3 block(BN, BM / TM);
    const dim3 grid((N + BN - 1) / BN, (M + BM - 1) / BM);
    register_1d<<<grid, block>>>(A, B, C, M, N, K);
}
