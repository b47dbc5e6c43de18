// expect: wrong_result
// says: bias is added once for each K tile
// The bias is added to the sums after every K tile.

// IN PLACE OF
        buf = 1 - buf;

// STANDS
        for (int m = 0; m < TM; ++m) {
            for (int n = 0; n < TN; ++n) {
                const int c = col + n / 4 * 4 * LANES_X + n % 4;
                acc[m][n] += c < N ? bias[c] / alpha : 0.0f;
            }
        }
        buf = 1 - buf;


// IN PLACE OF
                v[j] = silu(alpha * acc[m][n + j] + beta * old[j] + b[n + j]);
// STANDS
                v[j] = silu(alpha * acc[m][n + j] + beta * old[j]);
