// expect: wrong_result
// says: a + b instead of a * b
// The two values are added where they should be multiplied.

// BLANK fma
acc += As[ty][k] + Bs[k][tx];
