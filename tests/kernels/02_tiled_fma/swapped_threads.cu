// expect: wrong_result
// says: As[tx][k] * Bs[k][ty]
// tx and ty change places: the thread computes the element mirrored in its tile.

// BLANK fma
acc += As[tx][k] * Bs[k][ty];
