// expect: passed
// The second barrier stands at the top of the turn.

// IN PLACE OF
    for (int k0 = 0; k0 < K; k0 += TILE) {
// STANDS
    for (int k0 = 0; k0 < K; k0 += TILE) {
        __syncthreads();
// IN PLACE OF
        }
        __syncthreads();
// STANDS
        }
