// expect: passed
// Tickets in any order: who draws which makes no difference to what is stored.

// IN PLACE OF
    for (int m = 0; m < TM; ++m) {
        if (row + m < M && col < N) {
// STANDS
    __shared__ int turn;
    if (tid == 0) turn = 0;
    __syncthreads();
    if (atomicAdd(&turn, 1) < 0) return;
    for (int m = 0; m < TM; ++m) {
        if (row + m < M && col < N) {
