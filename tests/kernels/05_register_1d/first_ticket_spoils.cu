// expect: race
// says: spoiled
// Whoever draws the first ticket writes what thread 0 reads. As long as warp 0 runs first, nobody notices.

// IN PLACE OF
    for (int m = 0; m < TM; ++m) {
        if (row + m < M && col < N) {
// STANDS
    __shared__ int turn, spoiled;
    if (tid == 0) {
        turn = 0;
        spoiled = 0;
    }
    __syncthreads();
    const int mine = atomicAdd(&turn, 1);
    if (mine == 0 && tid != 0) spoiled = 1;
    if (tid == 0 && spoiled == 7) return;
    for (int m = 0; m < TM; ++m) {
        if (row + m < M && col < N) {
