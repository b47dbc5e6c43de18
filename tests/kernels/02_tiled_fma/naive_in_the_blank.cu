// expect: counter
// says: does not come from the tiles; there are 2 floats read from global memory for each multiply-add
// The tiles are filled and not used: each product is of two elements from global memory.
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

        // Read after write: the loop below reads what other threads copied.
        // Wait until all have copied.
        __syncthreads();

        for (int k = 0; k < TILE; ++k) {
            // TODO fma: add this k's product to the running sum
            if (row < M && col < N && k0 + k < K) {
                acc += A[row * K + k0 + k] * B[(k0 + k) * N + col];
            }
        }

        // Write after read: the next turn overwrites both tiles.
        // Wait until all have read them.
        __syncthreads();
    }

    // The last tiles may hang over the edge of C. Threads out there helped to load; they store nothing.
    if (row < M && col < N) {
        C[row * N + col] = acc;
    }
}
