// expect: passed
// A barrier that also counts is a barrier all the same.

// BLANK first_barrier
__syncthreads_count(row < M);
// BLANK second_barrier
__syncthreads_or(col < N);
