// expect: race
// says: second __syncthreads() is missing; write after read; K tile 1; may overwrite
// A fast warp fills the next tiles while a slow one still uses these.

// BLANK second_barrier
