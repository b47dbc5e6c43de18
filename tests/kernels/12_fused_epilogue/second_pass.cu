// expect: counter
// says: it is stored more than once
// C is stored, read back and stored again.

// IN PLACE OF
            store4(C, M, N, r, c, v, wide_C);
// STANDS
            float again[4];
            store4(C, M, N, r, c, v, wide_C);
            load4(C, M, N, r, c, again, wide_C);
            for (int j = 0; j < 4; ++j) again[j] = silu(again[j]);
            store4(C, M, N, r, c, again, wide_C);

// IN PLACE OF
                v[j] = silu(alpha * acc[m][n + j] + beta * old[j] + b[n + j]);
// STANDS
                v[j] = alpha * acc[m][n + j] + beta * old[j] + b[n + j];
