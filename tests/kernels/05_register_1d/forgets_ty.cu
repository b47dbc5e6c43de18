// expect: wrong_result
// says: C[16][0] holds the value of C[0][0]; for one row and stores to another
// All threads of a column read the first TM rows of As.

// BLANK column
const float b = Bs[k][tx];
for (int m = 0; m < TM; ++m) {
    acc[m] += As[m][k] * b;
}
