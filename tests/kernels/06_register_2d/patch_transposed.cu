// expect: wrong_result
// says: C[0][1] holds the value of C[1][0]; for one row and column
// a and b change places: the patch is transposed.

// IN PLACE OF
                    acc[m][n] += a[m] * b[n];
// STANDS
                    acc[m][n] += a[n] * b[m];
