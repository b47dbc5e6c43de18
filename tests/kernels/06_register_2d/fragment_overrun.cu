// expect: out_of_bounds
// says: b[4]; float b[4]
// b has TN elements, 0 to TN - 1.

// IN PLACE OF
            }
            for (int n = 0; n < TN; ++n) {
// STANDS
            }
            for (int n = 0; n <= TN; ++n) {
