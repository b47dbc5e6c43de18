// expect: wrong_result
// says: diagonal of each tile; same thread index
// Only the diagonal of each tile is computed.

// BLANK col
const int col = blockIdx.x * TILE + ty;
