// expect: race
// says: second __syncthreads() is missing; write after read
// Tiles are overwritten while other threads still read them (write after read).

// IN PLACE OF
        __syncthreads();
    }
// STANDS
    }
