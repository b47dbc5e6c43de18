// expect: race
// says: __syncthreads() is missing; read after write
// Tiles are read while other threads still fill them (read after write).

// IN PLACE OF
        __syncthreads();
#pragma unroll 8
// STANDS
#pragma unroll 8
