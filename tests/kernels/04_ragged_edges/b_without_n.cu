// expect: out_of_bounds
// says: of B; its column is 45; the guard must test col < N
// The load of B does not ask for N: at the edge it takes the next row.

// BLANK load_b
Bs[ty][tx] = (k0 + ty < K) ? B[(k0 + ty) * N + col] : 0.0f;
