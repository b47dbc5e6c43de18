// expect: out_of_bounds
// says: of C; guard must test
// The guard asks only for the first column of the patch.

// IN PLACE OF
            if (row + m < M && col + n < N) {
// STANDS
            if (row + m < M && col < N) {
