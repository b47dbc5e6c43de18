// expect: out_of_bounds
// says: of A; computes C[34][9]; its k = 25; the loop or the guard must keep k < K
// The load of A does not ask for K: at the edge it takes the next row.

// BLANK load_a
As[ty][tx] = (row < M) ? A[row * K + (k0 + tx)] : 0.0f;
