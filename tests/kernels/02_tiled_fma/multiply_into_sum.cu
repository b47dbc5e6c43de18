// expect: wrong_result
// says: Every element of C is 0
// The sum is multiplied, and it starts at 0.

// BLANK fma
acc *= As[ty][k] * Bs[k][tx];
