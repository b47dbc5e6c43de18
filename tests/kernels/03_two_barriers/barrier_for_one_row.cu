// expect: barrier_divergence
// says: __syncthreads()
// Only one row of threads comes to the barrier.

// BLANK second_barrier
if (ty == 0) __syncthreads();
