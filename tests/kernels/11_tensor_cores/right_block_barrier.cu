// expect: passed
// A barrier of the block where one of the warp would do.

// IN PLACE OF
    __syncwarp();
// STANDS
    __syncthreads();
