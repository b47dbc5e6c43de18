// expect: race
// says: __syncthreads() is missing; write after read; may overwrite
// Tiles are overwritten while other threads still read them (write after read).

// IN PLACE OF
        __syncthreads();
    }
// STANDS
    }
