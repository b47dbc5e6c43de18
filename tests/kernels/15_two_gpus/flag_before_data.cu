// expect: race
// says: the flag is set before
// The flag is raised before the tile is stored.

// IN PLACE OF
    // The tile goes to every device while other blocks still multiply: exchange and arithmetic overlap.
// STANDS
    if (tid < world && tid != rank) {
        atomicExch_system(&flags_of[tid][tile0 + blockIdx.y * gridDim.x + blockIdx.x], 1u);
    }

// IN PLACE OF
        atomicExch_system(&flags_of[tid][tile], 1u);
// STANDS
