// expect: wrong_result
// says: first pair of tiles again; buffer to read must change
// The first buffer is multiplied in every turn.

// IN PLACE OF
        buf = 1 - buf;
// STANDS
