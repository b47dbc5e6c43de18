// expect: out_of_bounds
// says: of C
// The last row is M - 1, the last column N - 1.

// BLANK store
if (row <= M && col <= N) C[row * N + col] = acc;
