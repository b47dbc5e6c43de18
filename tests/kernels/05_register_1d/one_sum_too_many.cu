// expect: out_of_bounds
// says: acc[16]; float acc[16]
// acc has TM elements, 0 to TM - 1.

// BLANK column
const float b = Bs[k][tx];
for (int m = 0; m <= TM; ++m) {
    acc[m] += As[ty * TM + m][k] * b;
}
