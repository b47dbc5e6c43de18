// expect: wrong_result
// says: without its factor beta
// The old C without its factor.

// IN PLACE OF
                v[j] = silu(alpha * acc[m][n + j] + beta * old[j] + b[n + j]);
// STANDS
                v[j] = silu(alpha * acc[m][n + j] + old[j] + b[n + j]);
