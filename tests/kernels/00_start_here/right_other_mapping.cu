// expect: passed
// The mapping of the next lesson.

// IN PLACE OF
    const int row = blockIdx.y * TILE + tx;  // of C and of A
    const int col = blockIdx.x * TILE + ty;  // of C and of B
// STANDS
    const int row = blockIdx.y * TILE + ty;
    const int col = blockIdx.x * TILE + tx;
