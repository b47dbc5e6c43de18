// expect: race
// says: no __threadfence_system() between
// A barrier, and no fence.

// IN PLACE OF
    __syncthreads();
    __threadfence_system();
// STANDS
    __syncthreads();
