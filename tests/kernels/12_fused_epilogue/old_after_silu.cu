// expect: wrong_result
// says: C held is added after SiLU
// SiLU before the old C.

// IN PLACE OF
                v[j] = silu(alpha * acc[m][n + j] + beta * old[j] + b[n + j]);
// STANDS
                v[j] = silu(alpha * acc[m][n + j] + b[n + j]) + beta * old[j];
