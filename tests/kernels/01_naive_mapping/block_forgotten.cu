// expect: wrong_result
// says: Only the first tile of C was written
// All blocks compute the first tile.

// BLANK row
const int row = ty;
// BLANK col
const int col = tx;
