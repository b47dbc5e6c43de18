// expect: race
// says: first __syncthreads() is missing; read after write
// Tiles are read while other threads still fill them (read after write).

// IN PLACE OF
        Bs[ty][tx] = (k0 + ty < K && col < N) ? B[(k0 + ty) * N + col] : 0.0f;
        __syncthreads();
// STANDS
        Bs[ty][tx] = (k0 + ty < K && col < N) ? B[(k0 + ty) * N + col] : 0.0f;
