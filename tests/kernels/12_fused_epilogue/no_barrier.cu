// expect: race
// says: __syncthreads() is missing
// The barrier of the loop is gone.

// IN PLACE OF
        __syncthreads();

// STANDS
