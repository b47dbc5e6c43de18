// expect: passed
// The product in plain C.

// IN PLACE OF
            acc = __fmaf_rn(As[ty][k], Bs[k][tx], acc);
// STANDS
            acc += As[ty][k] * Bs[k][tx];
