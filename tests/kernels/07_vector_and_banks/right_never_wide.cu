// expect: passed
// One element at a time everywhere: slower, not wrong.

// IN PLACE OF
    return reinterpret_cast<size_t>(X) % 16 == 0 && cols % 4 == 0;
// STANDS
    return false;
