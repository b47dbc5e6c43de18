// Lesson 04: C = A·B, tile by tile. A is M×K, B is K×N, C is M×N, all row-major float32.
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
        // Each thread copies one element of either tile. No thread may return here,
        // because all threads of the block must reach both barriers.
        // TODO load_a: copy A[row][k0 + tx] where A has that element, else put 0
        As[ty][tx] = ______;
        // TODO load_b: copy B[k0 + ty][col] where B has that element, else put 0
        Bs[ty][tx] = ______;

        // Read after write: the loop below reads what other threads copied.
        // Wait until all have copied.
        __syncthreads();

        for (int k = 0; k < TILE; ++k) {
            acc += As[ty][k] * Bs[k][tx];
        }

        // Write after read: the next turn overwrites both tiles.
        // Wait until all have read them.
        __syncthreads();
    }

    // TODO store: put acc into C[row][col] where C has that element
    ______;
}
