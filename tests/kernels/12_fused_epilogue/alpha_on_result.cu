// expect: wrong_result
// says: multiplied on after SiLU
// alpha after SiLU.

// IN PLACE OF
                v[j] = silu(alpha * acc[m][n + j] + beta * old[j] + b[n + j]);
// STANDS
                v[j] = alpha * silu(acc[m][n + j] + beta * old[j] + b[n + j]);
