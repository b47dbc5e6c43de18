// expect: barrier_divergence
// says: every thread of a block must reach the same
// Only the threads with an element of C come to the barrier.

// BLANK first_barrier
if (row < M && col < N) __syncthreads();
