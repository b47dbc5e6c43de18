// expect: misaligned
// says: 16 bytes at once; of B; no multiple of 16
// The wide path tests the edge of the row and not the alignment.

// IN PLACE OF
        const float* from = X + r * cols + c;
        if (aligned) {
// STANDS
        const float* from = X + r * cols + c;
        if (c + 3 < cols) {
