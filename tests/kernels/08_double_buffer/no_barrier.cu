// expect: race
// says: may not have written it yet; __syncthreads() is missing; read after write
// Each thread waits for its own copies only.

// IN PLACE OF
        __syncthreads();
// STANDS
