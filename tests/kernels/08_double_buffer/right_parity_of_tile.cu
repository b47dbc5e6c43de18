// expect: passed
// The buffer follows from the number of the tile.

// IN PLACE OF
        buf = 1 - buf;
// STANDS
        buf = (k0 / BK + 1) % 2;
