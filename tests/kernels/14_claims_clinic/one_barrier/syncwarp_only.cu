// expect: race
// says: may overwrite
// __syncwarp() holds no other warp back.

// IN PLACE OF
        }
        __syncthreads();
// STANDS
        }
        __syncwarp();
