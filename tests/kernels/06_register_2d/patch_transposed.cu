// expect: out_of_bounds
// says: b[4]; float b[4]
// a and b change places: the patch is transposed, and is no square.

// IN PLACE OF
                    acc[m][n] += a[m] * b[n];
// STANDS
                    acc[m][n] += a[n] * b[m];
