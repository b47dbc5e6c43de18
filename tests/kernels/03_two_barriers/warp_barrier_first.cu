// expect: race
// says: read after write; (0,2)
// __syncwarp() orders the lanes of one warp, and the tile of B is filled by all warps.

// BLANK first_barrier
__syncwarp();
