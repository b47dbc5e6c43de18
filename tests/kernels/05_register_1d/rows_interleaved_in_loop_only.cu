// expect: wrong_result
// says: C[1][0] holds the value of C[4][0]; for one row and stores to another
// The loop takes every fourth row, the store takes neighbouring rows.

// BLANK column
const float b = Bs[k][tx];
for (int m = 0; m < TM; ++m) {
    acc[m] += As[ty + m * (BM / TM)][k] * b;
}
