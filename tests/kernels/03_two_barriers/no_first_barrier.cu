// expect: race
// says: first __syncthreads() is missing; read after write; K tile 0
// The tiles are used while other warps still fill them.

// BLANK first_barrier
