// expect: race
// says: the flag is set before
// The flag is raised before the tile is stored.

// IN PLACE OF
    for (int peer = 0; peer < world; ++peer) {
// STANDS
    if (tid < world && tid != rank) {
        atomicExch_system(&flags_of[tid][tile0 + blockIdx.y * gridDim.x + blockIdx.x], 1u);
    }
    for (int peer = 0; peer < world; ++peer) {

// IN PLACE OF
        atomicExch_system(&flags_of[tid][tile], 1u);
// STANDS
