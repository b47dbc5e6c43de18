// expect: wrong_result
// says: Columns from 20 on of C were never written
// A row of the patch that hangs over the edge is not stored at all.

// IN PLACE OF
            if (row + m < M && col + n < N) {
// STANDS
            if (row + m < M && col + TN - 1 < N) {
