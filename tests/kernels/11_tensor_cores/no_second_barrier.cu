// expect: race
// says: write after read
// The next turn overwrites tiles that a slow warp still reads.

// IN PLACE OF
        __syncthreads();
    }
// STANDS
    }
