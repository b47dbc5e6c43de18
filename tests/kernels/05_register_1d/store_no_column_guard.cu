// expect: out_of_bounds
// says: of C; guard must test
// The guard asks only for the row.

// BLANK store
for (int m = 0; m < TM; ++m) {
    if (row + m < M) {
        C[(row + m) * N + col] = acc[m];
    }
}
