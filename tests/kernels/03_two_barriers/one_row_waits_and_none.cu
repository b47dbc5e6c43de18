// expect: race
// says: the second __syncthreads() is missing
// One barrier that not all reach, and another that is not there at all.

// BLANK first_barrier
if (ty == 0) __syncthreads();

// BLANK second_barrier
;
