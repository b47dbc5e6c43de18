// expect: misaligned
// says: 16 bytes at once; of A; no multiple of 16
// Every row is read four at a time, wherever it begins.

// IN PLACE OF
    return reinterpret_cast<size_t>(X) % 16 == 0 && cols % 4 == 0;
// STANDS
    return true;
