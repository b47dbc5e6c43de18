// expect: passed
// Neighbouring threads take neighbouring rows of A: no conflict in As, and scattered reads of A.

// IN PLACE OF
            const int r = i / BK;
            const int c = i % BK;
// STANDS
            const int r = i / 4 % BM;
            const int c = i / 4 / BM * 4;
