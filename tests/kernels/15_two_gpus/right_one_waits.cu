// expect: passed
// One thread waits for all flags; then all lower them.

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
    __syncthreads();
    for (int tile = threadIdx.x; tile < tiles; tile += WAITERS) {
        atomicExch_system(&flags[tile], 0u);
    }
