// expect: passed
// With names for the two factors.

// BLANK fma
const float a = As[ty][k];
const float b = Bs[k][tx];
acc += a * b;
