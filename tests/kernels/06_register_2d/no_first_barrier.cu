// expect: race
// says: first __syncthreads() is missing; read after write
// Tiles are read while other threads still fill them (read after write).

// IN PLACE OF
        __syncthreads();
#pragma unroll
// STANDS
#pragma unroll
