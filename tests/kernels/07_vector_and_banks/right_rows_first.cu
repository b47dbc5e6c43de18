// expect: passed
// Neighbouring threads take neighbouring rows of A: no conflict in As, and scattered reads of A.

// IN PLACE OF
    const int a_row = tid / (BK / 4), a_col = tid % (BK / 4) * 4, a_band = THREADS / (BK / 4);
// STANDS
    const int a_row = tid % 32, a_col = tid / 32 * 4, a_band = 32;
