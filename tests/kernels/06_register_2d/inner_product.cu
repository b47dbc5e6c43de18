// expect: wrong_result
// says: elements of C are 0; loops over the sums of a thread
// Only a[m] * b[m] is formed: the diagonal of the patch.

// IN PLACE OF
                    acc[m][n] += a[m] * b[n];
// STANDS
                    if (m == n) acc[m][n] += a[m] * b[n];
