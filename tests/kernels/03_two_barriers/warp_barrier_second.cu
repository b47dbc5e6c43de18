// expect: race
// says: write after read; may overwrite
// __syncwarp() holds no other warp back.

// BLANK second_barrier
__syncwarp();
