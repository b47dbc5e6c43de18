// expect: passed
// Without names for the fragments: the compiler finds them by itself.

// IN PLACE OF
            float a[TM];
            float b[TN];
            for (int m = 0; m < TM; ++m) {
                a[m] = As[ty * TM + m][k];
            }
            for (int n = 0; n < TN; ++n) {
                b[n] = Bs[k][tx * TN + n];
            }
// STANDS
// IN PLACE OF
                    acc[m][n] += a[m] * b[n];
// STANDS
                    acc[m][n] += As[ty * TM + m][k] * Bs[k][tx * TN + n];
