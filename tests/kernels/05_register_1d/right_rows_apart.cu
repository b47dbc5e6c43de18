// expect: passed
// A thread takes every fourth row of the tile, in the loop and in the store.

// IN PLACE OF
    const int row = row0 + ty * TM;  // where the thread's elements begin in C
// STANDS
    const int row = row0 + ty;
// IN PLACE OF
                acc[m] += As[ty * TM + m][k] * b;
// STANDS
                acc[m] += As[ty + m * (BM / TM)][k] * b;
// IN PLACE OF
        if (row + m < M && col < N) {
            C[(row + m) * N + col] = acc[m];
// STANDS
        const int r = row + m * (BM / TM);
        if (r < M && col < N) {
            C[r * N + col] = acc[m];
