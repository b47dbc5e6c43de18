// expect: wrong_result
// says: += instead of =
// Each product replaces the sum: only the last one is left.

// BLANK column
const float b = Bs[k][tx];
for (int m = 0; m < TM; ++m) {
    acc[m] = As[ty * TM + m][k] * b;
}
