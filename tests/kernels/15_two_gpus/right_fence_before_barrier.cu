// expect: passed
// Every thread has a fence after its own stores, then they meet.

// IN PLACE OF
    __syncthreads();
    __threadfence_system();
// STANDS
    __threadfence_system();
    __syncthreads();
