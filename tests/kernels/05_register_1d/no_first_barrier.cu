// expect: race
// says: first __syncthreads() is missing; read after write
// Tiles are read while other threads still fill them (read after write).

// IN PLACE OF
        __syncthreads();
        for (int k = 0; k < BK; ++k) {
// STANDS
        for (int k = 0; k < BK; ++k) {
