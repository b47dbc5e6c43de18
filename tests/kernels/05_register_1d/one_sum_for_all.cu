// expect: wrong_result
// says: elements of C are 0; loops over the sums of a thread
// Every product goes into the first sum.

// BLANK column
const float b = Bs[k][tx];
for (int m = 0; m < TM; ++m) {
    acc[0] += As[ty * TM + m][k] * b;
}
