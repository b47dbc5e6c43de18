// expect: wrong_result
// says: As[ty][k] * Bs[ty][tx]; indices of Bs
// k walks along As but not along Bs.

// BLANK fma
acc += As[ty][k] * Bs[ty][tx];
