// expect: race
// says: __syncthreads() is missing
// A warp tile is no tile of the warp's own: other warps copied what it reads.

// IN PLACE OF
        __syncthreads();
// STANDS
        __syncwarp();
