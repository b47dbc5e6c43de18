// expect: race
// says: both write As[
// Half of the threads of a row write beyond it, into the next row.

// IN PLACE OF
        if (tx < TILE / 4) {
// STANDS
        if (tx < TILE / 2) {
