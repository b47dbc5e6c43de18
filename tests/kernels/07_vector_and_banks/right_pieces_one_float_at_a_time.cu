// expect: passed
// The right places, one float at a time: the compiler sees that they are four aligned neighbours, and joins them.

// BLANK pieces
            for (int m = 0; m < TM; ++m) {
                a[m] = As[k][ty * 4 + m / 4 * 4 * (BM / TM) + m % 4];
            }
            for (int n = 0; n < TN; ++n) {
                b[n] = Bs[k][tx * 4 + n / 4 * 4 * (BN / TN) + n % 4];
            }
