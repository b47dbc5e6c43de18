// expect: race
// says: may still be writing it; the buffer that it does not read
// The next tiles are copied into the buffer that is being multiplied.

// IN PLACE OF
            start_copies(1 - buf, k0 + BK);
// STANDS
            start_copies(buf, k0 + BK);
