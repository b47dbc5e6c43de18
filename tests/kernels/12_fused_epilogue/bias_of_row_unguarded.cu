// expect: out_of_bounds
// says: bias has
// The bias of the row, also where there are more rows than columns.

// IN PLACE OF
                v[j] = silu(alpha * acc[m][n + j] + beta * old[j] + b[n + j]);
// STANDS
                v[j] = silu(alpha * acc[m][n + j] + beta * old[j] + bias[r]);
