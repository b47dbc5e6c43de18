// expect: passed
// Factors changed round, k runs backwards in the tile: another order of the same sum.

// BLANK fma
acc = Bs[TILE - 1 - k][tx] * As[ty][TILE - 1 - k] + acc;
