// expect: counter
// says: read their bias before the loop over the rows
// The bias is read for each element of C.

// IN PLACE OF
                v[j] = silu(alpha * acc[m][n + j] + beta * old[j] + b[n + j]);
// STANDS
                const volatile float* const again = bias;
                v[j] = silu(alpha * acc[m][n + j] + beta * old[j] + (c + j < N ? again[c + j] : 0.0f));
