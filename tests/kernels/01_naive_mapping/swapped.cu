// expect: counter
// says: loads are not coalesced; different rows of A; 16.5 sectors; store is not coalesced; 32 sectors
// Right numbers, and a sector for each lane.

// BLANK row
const int row = blockIdx.y * TILE + tx;
// BLANK col
const int col = blockIdx.x * TILE + ty;
