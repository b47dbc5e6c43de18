// expect: passed
// The wait and the barrier at the end of the turn, and once before the loop.

// IN PLACE OF
    for (int k0 = 0; k0 < K; k0 += BK) {
// STANDS
// IN PLACE OF
        __syncthreads();
// STANDS
    __syncthreads();
    for (int k0 = 0; k0 < K; k0 += BK) {
// IN PLACE OF
        buf = 1 - buf;
// STANDS
        buf = 1 - buf;
        __pipeline_wait_prior(0);
        __syncthreads();
