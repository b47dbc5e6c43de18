// expect: out_of_bounds
// says: of C; guard must test
// The guard asks only for the first row of the column.

// BLANK store
for (int m = 0; m < TM; ++m) {
    if (row < M && col < N) {
        C[(row + m) * N + col] = acc[m];
    }
}
