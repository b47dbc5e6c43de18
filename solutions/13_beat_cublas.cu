// Lesson 13: C = A·B, as fast as cuBLAS at every shape of the board. A is M×K, B is K×N, C is M×N, row-major float32.
// The tiles of lesson 05, and where they are too few for the SMs, several blocks along K for each (lesson 10).
#define BM 64
#define BN 64
#define BK 16
#define TM 16
#define THREADS (BN * (BM / TM))

__global__ void __launch_bounds__(THREADS)
register_1d(const float* A, const float* B, float* C, int M, int N, int K, int part)
{
    // With several blocks along z, each adds up `part` of K, into a C of its own.
    const int k_end = min(K, (int(blockIdx.z) + 1) * part);
    C += (long long)blockIdx.z * M * N;

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
    for (int k0 = blockIdx.z * part; k0 < k_end; k0 += BK) {
        // Outside the matrix put 0. No thread may return here: all must reach both barriers.
        for (int i = 0; i < BM; i += a_band) {
            const int r = a_row + i;
            As[r][a_col] = (row0 + r < M && k0 + a_col < k_end) ? A[(row0 + r) * K + (k0 + a_col)] : 0.0f;
        }
        for (int i = 0; i < BK; i += b_band) {
            const int r = b_row + i;
            Bs[r][b_col] = (k0 + r < k_end && col0 + b_col < N) ? B[(k0 + r) * N + (col0 + b_col)] : 0.0f;
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

// C = the sum of all parts, always in the same order.
__global__ void add_parts(const float* parts, float* C, int count, int splits)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i < count) {
        float sum = 0.0f;
        for (int split = 0; split < splits; ++split) {
            sum += parts[(long long)split * count + i];
        }
        C[i] = sum;
    }
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K)
{
    const dim3 block(BN, BM / TM);
    const int tiles = ((N + BN - 1) / BN) * ((M + BM - 1) / BM);
    const int steps = (K + BK - 1) / BK;
    int splits = 264 / tiles;  // two blocks for each SM of an H200
    if (splits > steps / 4) {
        splits = steps / 4;
    }
    if (splits < 2) {
        register_1d<<<dim3((N + BN - 1) / BN, (M + BM - 1) / BM), block>>>(A, B, C, M, N, K, K);
        return;
    }
    const int part = (steps + splits - 1) / splits * BK;
    splits = (K + part - 1) / part;
    float* parts;
    cudaMalloc(&parts, sizeof(float) * splits * M * N);
    register_1d<<<dim3((N + BN - 1) / BN, (M + BM - 1) / BM, splits), block>>>(A, B, parts, M, N, K, part);
    add_parts<<<(M * N + 255) / 256, 256>>>(parts, C, M * N, splits);
    cudaFree(parts);
}
