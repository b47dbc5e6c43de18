// expect: wrong_result
// says: C[0][4] holds the value of C[4][0]
// tx and ty change places in both fragments.

// IN PLACE OF
                a[m] = As[ty * TM + m][k];
// STANDS
                a[m] = As[tx * TM + m][k];
// IN PLACE OF
                b[n] = Bs[k][tx * TN + n];
// STANDS
                b[n] = Bs[k][ty * TN + n];
