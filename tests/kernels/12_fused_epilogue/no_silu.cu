// expect: wrong_result
// says: sums without SiLU
// The sums as they are.

// IN PLACE OF
                v[j] = silu(alpha * acc[m][n + j] + beta * old[j] + b[n + j]);
// STANDS
                v[j] = alpha * acc[m][n + j] + beta * old[j] + b[n + j];
