// expect: wrong_result
// says: C[0][4]
// The pieces are read one beside the other, and stored apart.

// BLANK pieces
            for (int m = 0; m < TM; m += 4) {
                read4(&As[k][ty * TM + m], &a[m]);
            }
            for (int n = 0; n < TN; n += 4) {
                read4(&Bs[k][tx * TN + n], &b[n]);
            }
