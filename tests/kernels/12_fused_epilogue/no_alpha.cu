// expect: wrong_result
// says: not multiplied by alpha
// The product without its factor.

// IN PLACE OF
                v[j] = silu(alpha * acc[m][n + j] + beta * old[j] + b[n + j]);
// STANDS
                v[j] = silu(acc[m][n + j] + beta * old[j] + b[n + j]);
