// expect: wrong_result
// says: bias is added after SiLU
// SiLU before the bias.

// IN PLACE OF
                v[j] = silu(alpha * acc[m][n + j] + beta * old[j] + b[n + j]);
// STANDS
                v[j] = silu(alpha * acc[m][n + j] + beta * old[j]) + b[n + j];
