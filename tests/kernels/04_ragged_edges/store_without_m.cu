// expect: out_of_bounds
// says: of C; beyond its end
// Threads below C store.

// BLANK store
if (col < N) C[row * N + col] = acc;
