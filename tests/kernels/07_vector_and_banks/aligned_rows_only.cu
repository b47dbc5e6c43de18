// expect: counter
// says: `rows_aligned` does not ask for it; Of A, B and C, 3 cannot begin 4 bytes further
// The length of a row is asked for, and not where the first one begins.

// BLANK aligned
    return cols % 4 == 0;
