// expect: wrong_result
// says: row of C got a bias of its own
// The bias of the row. M is not larger than N in the smallest cases, so that nothing is read outside.

// IN PLACE OF
                v[j] = silu(alpha * acc[m][n + j] + beta * old[j] + b[n + j]);
// STANDS
                v[j] = silu(alpha * acc[m][n + j] + beta * old[j] + bias[r < N ? r : N - 1]);
