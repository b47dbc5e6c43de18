// expect: passed
// Bias first, fused multiply-adds.

// IN PLACE OF
                v[j] = silu(alpha * acc[m][n + j] + beta * old[j] + b[n + j]);
// STANDS
                v[j] = silu(fmaf(alpha, acc[m][n + j], fmaf(beta, old[j], b[n + j])));
