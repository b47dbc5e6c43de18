// expect: uninitialized
// says: beta is 0
// C is read although beta is 0: NaN times 0 is NaN.

// IN PLACE OF
            if (beta != 0.0f) load4(C, M, N, r, c, old, wide_C);
// STANDS
            load4(C, M, N, r, c, old, wide_C);
