// expect: wrong_result
// says: last warp of a block gets its turn first
// The first ticket is free of races, and takes part in the result: wrong unless thread 0 draws it.

// IN PLACE OF
    for (int m = 0; m < TM; ++m) {
        if (row + m < M && col < N) {
// STANDS
    __shared__ int turn;
    if (tid == 0) turn = 0;
    __syncthreads();
    if (atomicAdd(&turn, 1) == 0 && tid != 0) acc[0] += 1.0f;
    for (int m = 0; m < TM; ++m) {
        if (row + m < M && col < N) {
