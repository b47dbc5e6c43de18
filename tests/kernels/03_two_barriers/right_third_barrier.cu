// expect: passed
// One barrier too many is slower, not wrong.

// BLANK second_barrier
__syncthreads();
__syncthreads();
