// expect: wrong_result
// says: C[0][1] holds the value of C[0][16]; for one column
// The loop takes every 16th column, the store takes neighbouring columns.

// IN PLACE OF
                b[n] = Bs[k][tx * TN + n];
// STANDS
                b[n] = Bs[k][tx + n * (BN / TN)];
