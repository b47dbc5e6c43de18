// expect: passed
// The multiply-add written as one call.

// BLANK fma
acc = fmaf(As[ty][k], Bs[k][tx], acc);
