// expect: counter
// says: in each other's way; bank conflicts
// The patch in one piece of 8×8, read and stored alike: right numbers, with a conflict in the reads.

// BLANK pieces
            for (int m = 0; m < TM; m += 4) {
                read4(&As[k][ty * TM + m], &a[m]);
            }
            for (int n = 0; n < TN; n += 4) {
                read4(&Bs[k][tx * TN + n], &b[n]);
            }
// IN PLACE OF
    const int row = row0 + ty * 4;  // where the thread's first piece begins in C. The next one lies beyond those of
    const int col = col0 + tx * 4;  // all other threads: 4·(BM/TM) rows further down, 4·(BN/TN) columns to the right
// STANDS
    const int row = row0 + ty * TM;
    const int col = col0 + tx * TN;
// IN PLACE OF
            store4(C, M, N, row + m / 4 * 4 * (BM / TM) + m % 4, col + n * (BN / TN), &acc[m][n], wide_C);
// STANDS
            store4(C, M, N, row + m, col + n, &acc[m][n], wide_C);
