// expect: misaligned
// says: 16 bytes at once; byte 100 of A; take the elements one by one
// The first row is aligned, and the others are not where a row is no multiple of 4 long.

// IN PLACE OF
    return reinterpret_cast<size_t>(X) % 16 == 0 && cols % 4 == 0;
// STANDS
    return reinterpret_cast<size_t>(X) % 16 == 0;
