// expect: race
// says: threads of two blocks; one block own each element of C
// Threads to the right of C store into the next row.

// BLANK store
if (row < M) C[row * N + col] = acc;
