// Lesson 03: C = A·B, tile by tile. A is M×K, B is K×N, C is M×N, all row-major float32.
// A block computes one TILE×TILE tile of C. A thread computes one element of that tile.
// Launch: TILE×TILE threads a block, one block a tile of C. Each matrix has fewer than 2^31 elements.
#define TILE 16

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    // Shared memory: one copy a block, seen by all its threads, much nearer than global memory.
    __shared__ float As[TILE][TILE];
    __shared__ float Bs[TILE][TILE];

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int row = blockIdx.y * TILE + ty;  // of C and of A
    const int col = blockIdx.x * TILE + tx;  // of C and of B

    float acc = 0.0f;  // the running sum of C[row][col], kept in a register

    // Walk along K, across a strip of A and down a strip of B, one pair of tiles at a time.
    for (int k0 = 0; k0 < K; k0 += TILE) {
        // Each thread copies one element of either tile. Outside the matrix there is nothing
        // to read: put 0 there, because 0 adds nothing to any sum. No thread may return here,
        // because all threads of the block must reach both barriers.
        As[ty][tx] = (row < M && k0 + tx < K) ? A[row * K + (k0 + tx)] : 0.0f;
        Bs[ty][tx] = (k0 + ty < K && col < N) ? B[(k0 + ty) * N + col] : 0.0f;

        // TODO first_barrier: the loop below reads what other threads copied
        // BEGIN SOLUTION first_barrier
        __syncthreads();
        // END SOLUTION

        for (int k = 0; k < TILE; ++k) {
            acc += As[ty][k] * Bs[k][tx];
        }

        // TODO second_barrier: the next turn overwrites what other threads may still read
        // BEGIN SOLUTION second_barrier
        __syncthreads();
        // END SOLUTION
    }

    // The last tiles may hang over the edge of C. Threads out there helped to load; they store nothing.
    if (row < M && col < N) {
        C[row * N + col] = acc;
    }
}
