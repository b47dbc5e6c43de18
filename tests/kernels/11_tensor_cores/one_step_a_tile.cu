// expect: wrong_result
// says: Every second K tile is left out
// Only the first half of each pair of tiles is multiplied.

// IN PLACE OF
        for (int k = 0; k < BK; k += SIDE) {
// STANDS
        for (int k = 0; k < SIDE; k += SIDE) {
