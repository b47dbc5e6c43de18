// expect: out_of_bounds
// says: Bs[16][0]; As[16][0]; inside the tile
// The tile is indexed with the position in the whole matrix.

// BLANK fma
acc += As[ty][k0 + k] * Bs[k0 + k][tx];
