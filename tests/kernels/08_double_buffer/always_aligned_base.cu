// expect: counter
// says: begins
// The length of a row is asked for, and not where the first one begins.

// IN PLACE OF
    return reinterpret_cast<size_t>(X) % 16 == 0 && cols % 4 == 0;
// STANDS
    return cols % 4 == 0;
