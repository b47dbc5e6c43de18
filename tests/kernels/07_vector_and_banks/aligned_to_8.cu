// expect: misaligned
// says: 16 bytes at once; byte 248 of A; no multiple of 16
// Rows of an even length begin at multiples of 8 bytes; that is enough for float2 only.

// IN PLACE OF
    return reinterpret_cast<size_t>(X) % 16 == 0 && cols % 4 == 0;
// STANDS
    return reinterpret_cast<size_t>(X) % 16 == 0 && cols % 2 == 0;
