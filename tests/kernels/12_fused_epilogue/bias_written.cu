// expect: wrong_result
// says: bias is an input
// The bias is changed.

// IN PLACE OF
                v[j] = silu(alpha * acc[m][n + j] + beta * old[j] + b[n + j]);
// STANDS
                v[j] = silu(alpha * acc[m][n + j] + beta * old[j] + b[n + j]);
                if (r == 0 && c + j < N) const_cast<float*>(bias)[c + j] = 0.0f;
