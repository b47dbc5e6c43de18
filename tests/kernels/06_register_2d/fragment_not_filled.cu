// expect: wrong_result
// says: hold NaN; never set
// The last element of b is never read from Bs.

// IN PLACE OF
            }
            for (int n = 0; n < TN; ++n) {
// STANDS
            }
            for (int n = 0; n < TN - 1; ++n) {
