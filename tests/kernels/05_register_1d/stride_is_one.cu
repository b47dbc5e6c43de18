// expect: wrong_result
// says: C[16][0] holds the value of C[1][0]
// The patches of neighbouring threads overlap: ty moves by 1 and not by TM.

// BLANK column
const float b = Bs[k][tx];
for (int m = 0; m < TM; ++m) {
    acc[m] += As[ty + m][k] * b;
}
