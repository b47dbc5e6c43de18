// expect: out_of_bounds
// says: of C; its column is 45; the guard must test col < N
// Threads to the right of C store into the next row.

// BLANK store
if (row < M) C[row * N + col] = acc;
