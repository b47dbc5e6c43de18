// expect: race
// says: writes it too; one thread own each element
// The sums belong one below the other, and are stored one beside the other.

// BLANK store
for (int m = 0; m < TM; ++m) {
    if (row < M && col + m < N) {
        C[row * N + (col + m)] = acc[m];
    }
}
