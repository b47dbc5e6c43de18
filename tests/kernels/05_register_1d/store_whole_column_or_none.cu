// expect: wrong_result
// says: Rows from 16 on of C were never written; guard of the store
// A column that hangs over the edge is not stored at all.

// BLANK store
for (int m = 0; m < TM; ++m) {
    if (row + TM - 1 < M && col < N) {
        C[(row + m) * N + col] = acc[m];
    }
}
