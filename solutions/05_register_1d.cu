// Lesson 05: C = A·B, tile by tile. A is M×K, B is K×N, C is M×N, all row-major float32.
// A block computes one BM×BN tile of C, in steps of BK along K. A thread computes TM elements of it, one below the other.
// Launch: BN×(BM/TM) threads a block, one block a tile of C. Each matrix has fewer than 2^31 elements.
#define BM 64
#define BN 64
#define BK 16
#define TM 16
#define THREADS (BN * (BM / TM))

// A block never has more than THREADS threads. The compiler is told, and gives each as many registers as then fit.
extern "C" __global__ void __launch_bounds__(THREADS)
gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    // Shared memory: one copy a block, seen by all its threads, much nearer than global memory.
    __shared__ float As[BM][BK];
    __shared__ float Bs[BK][BN];

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int tid = ty * BN + tx;      // the threads of the block, counted from 0
    const int row0 = blockIdx.y * BM;  // where the block's tile begins in C
    const int col0 = blockIdx.x * BN;
    const int row = row0 + ty * TM;  // where the thread's elements begin in C
    const int col = col0 + tx;

    // Where the thread's first copies lie in the tiles, and how many rows it is from one to the next.
    const int a_row = tid / BK, a_col = tid % BK, a_band = THREADS / BK;
    const int b_row = tid / BN, b_col = tid % BN, b_band = THREADS / BN;
    static_assert(BM % a_band == 0 && BK % b_band == 0, "the bands that the block copies must fill both tiles");

    float acc[TM] = {};  // the running sums, one an element of C, kept in registers

    // Walk along K, across a strip of A and down a strip of B, one pair of tiles at a time.
    for (int k0 = 0; k0 < K; k0 += BK) {
        // A tile has more elements than the block has threads: a thread copies several of one column,
        // the block a band of rows at a time. Outside the matrix put 0, because 0 adds nothing to any sum.
        // No thread may return here, because all threads of the block must reach both barriers.
        for (int i = 0; i < BM; i += a_band) {
            const int r = a_row + i;
            As[r][a_col] = (row0 + r < M && k0 + a_col < K) ? A[(row0 + r) * K + (k0 + a_col)] : 0.0f;
        }
        for (int i = 0; i < BK; i += b_band) {
            const int r = b_row + i;
            Bs[r][b_col] = (k0 + r < K && col0 + b_col < N) ? B[(k0 + r) * N + (col0 + b_col)] : 0.0f;
        }

        // Read after write: the loop below reads what other threads copied.
        // Wait until all have copied.
        __syncthreads();

        for (int k = 0; k < BK; ++k) {
            // TODO column: read this k's element of Bs once, and use it for all TM sums
            // BEGIN SOLUTION column
            const float b = Bs[k][tx];
            for (int m = 0; m < TM; ++m) {
                acc[m] += As[ty * TM + m][k] * b;
            }
            // END SOLUTION
        }

        // Write after read: the next turn overwrites both tiles.
        // Wait until all have read them.
        __syncthreads();
    }

    // The last tiles may hang over the edge of C. Sums out there are not stored.
    // TODO store: store the sums that lie inside C
    // BEGIN SOLUTION store
    for (int m = 0; m < TM; ++m) {
        if (row + m < M && col < N) {
            C[(row + m) * N + col] = acc[m];
        }
    }
    // END SOLUTION
}
