// expect: passed
// Flags by volatile accesses instead of atomics.

// IN PLACE OF
        atomicExch_system(&flags_of[tid][tile], 1u);
// STANDS
        *(volatile unsigned*)&flags_of[tid][tile] = 1u;

// IN PLACE OF
        while (atomicAdd_system(&flags[tile], 0u) == 0u) {
        }
        atomicExch_system(&flags[tile], 0u);
// STANDS
        volatile unsigned* const flag = &flags[tile];
        while (*flag == 0u) {
        }
        *flag = 0u;
