// expect: out_of_bounds
// says: of A; computes C[34][9]; its k = 25; the loop or the guard must keep k < K
// The load of A is guarded by the sizes of C.

// BLANK load_a
As[ty][tx] = (row < M && col < N) ? A[row * K + (k0 + tx)] : 0.0f;
