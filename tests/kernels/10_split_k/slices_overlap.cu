// expect: wrong_result
// says: elements of C are wrong
// A slice ends one step too late: the products there are added twice.

// IN PLACE OF
    const int k_end = min(k_first + slice, K);
// STANDS
    const int k_end = min(k_first + slice + BK, K);
