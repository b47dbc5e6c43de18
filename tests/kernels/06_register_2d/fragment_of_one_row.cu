// expect: wrong_result
// says: C[1][0] holds the value of C[0][0]; for one row
// All of a comes from the first row of the patch.

// IN PLACE OF
                a[m] = As[ty * TM + m][k];
// STANDS
                a[m] = As[ty * TM][k];
