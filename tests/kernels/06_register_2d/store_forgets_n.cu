// expect: wrong_result
// says: were never written; at its index
// All sums of a row go to its first column.

// IN PLACE OF
                C[(row + m) * N + (col + n)] = acc[m][n];
// STANDS
                C[(row + m) * N + col] = acc[m][n];
