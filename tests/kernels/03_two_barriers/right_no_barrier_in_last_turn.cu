// expect: passed
// The last turn is followed by no other, so it needs no second barrier.

// BLANK second_barrier
if (k0 + TILE < K) __syncthreads();
