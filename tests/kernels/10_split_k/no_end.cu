// expect: out_of_bounds
// says: beyond its end: A is 35×150; K
// The last slice does not end where K ends.

// IN PLACE OF
    const int k_end = min(k_first + slice, K);
// STANDS
    const int k_end = k_first + slice;
