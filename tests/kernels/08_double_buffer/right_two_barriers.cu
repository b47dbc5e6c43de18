// expect: passed
// A second barrier at the end of the turn: not needed, not wrong.

// IN PLACE OF
        buf = 1 - buf;
// STANDS
        buf = 1 - buf;
        __syncthreads();
