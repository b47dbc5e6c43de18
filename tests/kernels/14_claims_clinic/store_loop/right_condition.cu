// expect: passed
// One condition for row and column.

// IN PLACE OF
        if (r >= M) break;
        if (col < N) {
// STANDS
        if (r < M && col < N) {
