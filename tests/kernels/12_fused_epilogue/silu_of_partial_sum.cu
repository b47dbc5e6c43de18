// expect: wrong_result
// says: applied to the running sum after each K tile
// SiLU of a part of the sum, in every K tile.

// IN PLACE OF
        buf = 1 - buf;

// STANDS
        for (int m = 0; m < TM; ++m) {
            for (int n = 0; n < TN; ++n) acc[m][n] = silu(acc[m][n]);
        }
        buf = 1 - buf;
