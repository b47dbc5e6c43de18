// expect: out_of_bounds
// says: As[64][0]; inside the tile
// The tile is indexed with the row of the whole matrix.

// BLANK column
const float b = Bs[k][tx];
for (int m = 0; m < TM; ++m) {
    acc[m] += As[row + m][k] * b;
}
