// expect: passed
// says: 
// Tickets in any order: who draws which makes no difference to what is stored.
// Lesson 05: C = A·B, tile by tile. A is M×K, B is K×N, C is M×N, all row-major float32.
// A block computes one BM×BN tile of C, in steps of BK along K. A thread computes TM elements of it, one below the other.
// Launch: BN×(BM/TM) threads a block, one block a tile of C. Each matrix has fewer than 2^31 elements.
#define BM 64
#define BN 64
#define BK 16
#define TM 16
#define THREADS (BN * (BM / TM))

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
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

    float acc[TM] = {};  // the running sums, one an element of C, kept in registers

    // Walk along K, across a strip of A and down a strip of B, one pair of tiles at a time.
    for (int k0 = 0; k0 < K; k0 += BK) {
        // A tile has more elements than the block has threads: a thread copies several, THREADS
        // apart. Outside the matrix put 0, because 0 adds nothing to any sum. No thread may return
        // here, because all threads of the block must reach both barriers.
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

        // Read after write: the loop below reads what other threads copied.
        // Wait until all have copied.
        __syncthreads();

        for (int k = 0; k < BK; ++k) {
            // TODO column: read this k's element of Bs once, and use it for all TM sums
            const float b = Bs[k][tx];
            for (int m = 0; m < TM; ++m) {
                acc[m] += As[ty * TM + m][k] * b;
            }
        }

        // Write after read: the next turn overwrites both tiles.
        // Wait until all have read them.
        __syncthreads();
    }

    // The last tiles may hang over the edge of C. Sums out there are not stored.
    __shared__ int turn;
    if (tid == 0) turn = 0;
    __syncthreads();
    if (atomicAdd(&turn, 1) < 0) return;
    // TODO store: store the sums that lie inside C
    for (int m = 0; m < TM; ++m) {
        if (row + m < M && col < N) {
            C[(row + m) * N + col] = acc[m];
        }
    }
}
