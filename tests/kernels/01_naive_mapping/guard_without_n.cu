// expect: out_of_bounds
// says: of B; guard
// Threads to the right of C take part.

// IN PLACE OF
    if (row < M && col < N) {
// STANDS
    if (row < M) {
