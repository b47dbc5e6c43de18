// expect: race
// The next turn overwrites tiles that a slow warp still reads.

// IN PLACE OF
        // Wait until all have read them.
        __syncthreads();
// STANDS
