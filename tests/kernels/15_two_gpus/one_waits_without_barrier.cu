// expect: race
// says: flags[; nothing orders the two
// One thread waits for all flags, and the others lower them without waiting for it.

// IN PLACE OF
    for (int tile = threadIdx.x; tile < tiles; tile += WAITERS) {
        if (tile >= tile0 && tile < tile0 + own) continue;
        while (atomicAdd_system(&flags[tile], 0u) == 0u) {
        }
        atomicExch_system(&flags[tile], 0u);
    }
// STANDS
    if (threadIdx.x == 0) {
        for (int tile = 0; tile < tiles; ++tile) {
            while ((tile < tile0 || tile >= tile0 + own) && atomicAdd_system(&flags[tile], 0u) == 0u) {
            }
        }
        __threadfence_system();
    }
    for (int tile = threadIdx.x; tile < tiles; tile += WAITERS) {
        flags[tile] = 0u;
    }
