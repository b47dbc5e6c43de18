// expect: race
// The barrier of the loop is gone.

// IN PLACE OF
        __syncthreads();

// STANDS
