// expect: race
// says: asynchronous copy; may overwrite
// The next tiles are copied into the buffer that is being multiplied.

// IN PLACE OF
            start_copies(1 - buf, k0 + BK);
// STANDS
            start_copies(buf, k0 + BK);
