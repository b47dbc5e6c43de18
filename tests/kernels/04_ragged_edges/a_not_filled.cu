// expect: uninitialized
// says: shared memory that no thread has written; with 0 where the matrix ends
// A slot outside A keeps what was there, or was never written.

// BLANK load_a
if (row < M && k0 + tx < K) As[ty][tx] = A[row * K + (k0 + tx)];
