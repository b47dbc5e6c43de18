// expect: wrong_result
// says: negative; subtracted
// The sign is wrong.

// BLANK fma
acc -= As[ty][k] * Bs[k][tx];
