// expect: passed
// The threads are counted, then laid out anew.

// IN PLACE OF
    const int row = blockIdx.y * TILE + ty;  // of C and of A
    const int col = blockIdx.x * TILE + tx;  // of C and of B
// STANDS
    const int thread = ty * TILE + tx;
    const int row = blockIdx.y * TILE + thread / TILE;
    const int col = blockIdx.x * TILE + thread % TILE;
