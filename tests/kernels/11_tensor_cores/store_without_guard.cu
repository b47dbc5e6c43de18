// expect: out_of_bounds
// says: of C
// What hangs over the right edge of C is stored as well.

// IN PLACE OF
        if (row0 + r < M && col0 + c < N) {
// STANDS
        if (row0 + r < M) {
