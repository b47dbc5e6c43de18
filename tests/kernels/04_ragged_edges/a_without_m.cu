// expect: out_of_bounds
// says: of A; its row is 35; the guard must test row < M
// The load of A does not ask for M.

// BLANK load_a
As[ty][tx] = (k0 + tx < K) ? A[row * K + (k0 + tx)] : 0.0f;
