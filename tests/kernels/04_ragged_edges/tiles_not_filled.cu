// expect: uninitialized
// says: shared memory that no thread has written; with 0 where the matrix ends
// Slots outside A and B keep what was there: a stale tile.

// BLANK load_a
if (row < M && k0 + tx < K) As[ty][tx] = A[row * K + (k0 + tx)];
// BLANK load_b
if (k0 + ty < K && col < N) Bs[ty][tx] = B[(k0 + ty) * N + col];
