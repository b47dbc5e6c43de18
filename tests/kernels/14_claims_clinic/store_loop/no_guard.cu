// expect: out_of_bounds
// says: beyond its end: C is
// Rows below C are stored, too.

// IN PLACE OF
        if (r >= M) break;
// STANDS
