// expect: wrong_result
// says: bias is multiplied by alpha too
// alpha on the bias as well.

// IN PLACE OF
                v[j] = silu(alpha * acc[m][n + j] + beta * old[j] + b[n + j]);
// STANDS
                v[j] = silu(alpha * (acc[m][n + j] + b[n + j]) + beta * old[j]);
