// expect: out_of_bounds
// says: of B; computes C[9][0]; its k = 25; the loop or the guard must keep k < K
// The load of B does not ask for K.

// BLANK load_b
Bs[ty][tx] = (col < N) ? B[(k0 + ty) * N + col] : 0.0f;
