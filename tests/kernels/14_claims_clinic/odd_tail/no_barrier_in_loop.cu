// expect: race
// says: may overwrite; write after read
// A fast warp fills the buffer that a slow one still reads.

// IN PLACE OF
        acc = multiply(t % 2, acc);
        __syncthreads();
// STANDS
        acc = multiply(t % 2, acc);
