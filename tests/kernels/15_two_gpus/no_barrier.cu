// expect: race
// says: the flag is set before
// The flag is raised when one warp has stored.

// IN PLACE OF
    __syncthreads();
    __threadfence_system();
// STANDS
    __threadfence_system();
