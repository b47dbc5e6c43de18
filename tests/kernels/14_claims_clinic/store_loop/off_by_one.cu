// expect: out_of_bounds
// says: beyond its end: C is
// The last row is M - 1.

// IN PLACE OF
        if (r >= M) break;
// STANDS
        if (r > M) break;
