// expect: out_of_bounds
// says: As[16][0]; inside the tile
// Half of the threads of a row write beyond it, into the next row.

// IN PLACE OF
        if (tx < TILE / 4) {
// STANDS
        if (tx < TILE / 2) {
