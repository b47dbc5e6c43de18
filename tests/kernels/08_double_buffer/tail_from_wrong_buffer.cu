// expect: wrong_result
// says: odd number of K tiles; wrong buffer
// Two tiles a turn, and the last of an odd number is always read from buffer 1.

// IN PLACE OF
        buf = 1 - buf;
// STANDS
        buf = (k0 + 2 * BK < K) ? 1 - buf : 1;
