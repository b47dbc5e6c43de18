// expect: wrong_result
// says: elements of C are 0; C[15][0] is 0
// The last sum of each thread is never added to.

// BLANK column
const float b = Bs[k][tx];
for (int m = 0; m < TM - 1; ++m) {
    acc[m] += As[ty * TM + m][k] * b;
}
