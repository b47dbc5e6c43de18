// expect: passed
// Bs[k][tx] stands in the loop: the compiler reads it once, because nothing changes it.

// BLANK column
for (int m = 0; m < TM; ++m) {
    acc[m] += As[ty * TM + m][k] * Bs[k][tx];
}
