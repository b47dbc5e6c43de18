// expect: out_of_bounds
// says: of C; guard must test
// The guard asks only for the column.

// IN PLACE OF
            if (row + m < M && col + n < N) {
// STANDS
            if (col + n < N) {
