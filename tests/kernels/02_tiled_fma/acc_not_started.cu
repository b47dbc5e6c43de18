// expect: uninitialized
// says: never set; float acc = 0.0f
// The running sum has no first value.

// IN PLACE OF
    float acc = 0.0f;  // the running sum of C[row][col], kept in a register
// STANDS
    float acc;
