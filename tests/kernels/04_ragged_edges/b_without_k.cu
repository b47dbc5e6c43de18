// expect: out_of_bounds
// says: of B; own row and column
// The load of B does not ask for K.

// BLANK load_b
Bs[ty][tx] = (col < N) ? B[(k0 + ty) * N + col] : 0.0f;
