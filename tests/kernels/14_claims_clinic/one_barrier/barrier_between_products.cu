// expect: race
// says: may overwrite
// A barrier in each turn of the inner loop, and none after its last product.

// IN PLACE OF
        for (int k = 0; k < TILE; ++k) {
// STANDS
        for (int k = 0; k < TILE; ++k) {
            __syncthreads();
// IN PLACE OF
        }
        __syncthreads();
// STANDS
        }
