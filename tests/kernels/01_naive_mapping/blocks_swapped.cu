// expect: wrong_result
// says: never written
// The block's own place is turned round: right where M = N only.

// BLANK row
const int row = blockIdx.x * TILE + ty;
// BLANK col
const int col = blockIdx.y * TILE + tx;
