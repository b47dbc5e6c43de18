// expect: wrong_result
// says: C held before is missing
// C is never read.

// IN PLACE OF
            if (beta != 0.0f) load4(C, M, N, r, c, old, wide_C);
// STANDS
