// expect: wrong_result
// says: += instead of =
// Each product replaces the sum: only the last one is left.

// BLANK fma
acc = As[ty][k] * Bs[k][tx];
