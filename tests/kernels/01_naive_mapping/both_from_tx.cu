// expect: wrong_result
// says: diagonal of each tile; same thread index
// Only the diagonal of each tile is computed.

// BLANK row
const int row = blockIdx.y * TILE + tx;
