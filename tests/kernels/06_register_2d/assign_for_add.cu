// expect: wrong_result
// says: += instead of =
// Each product replaces the sum: only the last one is left.

// IN PLACE OF
                    acc[m][n] += a[m] * b[n];
// STANDS
                    acc[m][n] = a[m] * b[n];
