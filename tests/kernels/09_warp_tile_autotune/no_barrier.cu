// expect: race
// says: __syncthreads() is missing
// Each thread waits for its own copies only.

// IN PLACE OF
        __syncthreads();
// STANDS
