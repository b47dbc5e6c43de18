// expect: out_of_bounds
// says: of C; beyond its end
// Threads outside C store.

// BLANK store
C[row * N + col] = acc;
