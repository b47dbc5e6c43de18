// Lesson 01: C = A·B, one element a thread. A is M×K, B is K×N, C is M×N, all row-major float32.
// A block computes one TILE×TILE tile of C. A thread computes one element of that tile.
// Launch: TILE×TILE threads a block, one block a tile of C. Each matrix has fewer than 2^31 elements.
#define TILE 32

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    // TODO row: which of tx and ty leads from row to row?
    // BEGIN SOLUTION row: const int row = blockIdx.y * TILE + ______;  // of C and of A
    const int row = blockIdx.y * TILE + ty;  // of C and of A
    // END SOLUTION
    // TODO col: which of them leads from column to column?
    // BEGIN SOLUTION col: const int col = blockIdx.x * TILE + ______;  // of C and of B
    const int col = blockIdx.x * TILE + tx;  // of C and of B
    // END SOLUTION

    // The last blocks may hang over the edge of C. Threads out there have nothing to do.
    if (row < M && col < N) {
        float acc = 0.0f;  // the running sum of C[row][col], kept in a register

        // Walk along a row of A and down a column of B, one pair of elements at a time.
        for (int k = 0; k < K; ++k) {
            acc += A[row * K + k] * B[k * N + col];
        }

        C[row * N + col] = acc;
    }
}
