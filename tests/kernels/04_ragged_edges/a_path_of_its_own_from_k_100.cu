// expect: out_of_bounds
// says: of A; A is 20×512; the guard must test row < M
// A fast path for a long sum leaves out the guard; no shape of the lesson is that long.

// BLANK load_a
As[ty][tx] = (K >= 100 || (row < M && k0 + tx < K)) ? A[row * K + (k0 + tx)] : 0.0f;
