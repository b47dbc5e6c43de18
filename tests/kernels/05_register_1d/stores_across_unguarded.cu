// expect: race
// says: writes it too; one thread own each element
// The sums are stored one beside the other and beyond the last column too: two threads still write one element.

// BLANK store
for (int m = 0; m < TM; ++m) {
    if (row < M) {
        C[row * N + (col + m)] = acc[m];
    }
}
