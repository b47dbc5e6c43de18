// expect: out_of_bounds
// says: Bs[16][0]; As[16][0]
// One step too many: a tile has TILE columns, 0 to TILE-1.

// IN PLACE OF
        for (int k = 0; k < TILE; ++k) {
// STANDS
        for (int k = 0; k <= TILE; ++k) {
