// expect: wrong_result
// says: multiplied twice and the last never
// The next copies begin at this k0 and not at the next one.

// IN PLACE OF
            start_copies(1 - buf, k0 + BK);
// STANDS
            start_copies(1 - buf, k0);
