// expect: passed
// The flag by a release store and acquire loads, in PTX.

// IN PLACE OF
        atomicExch_system(&flags_of[tid][tile], 1u);
// STANDS
        asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(&flags_of[tid][tile]), "r"(1u) : "memory");

// IN PLACE OF
        while (atomicAdd_system(&flags[tile], 0u) == 0u) {
        }
        atomicExch_system(&flags[tile], 0u);
// STANDS
        unsigned up = 0;
        while (up == 0) {
            asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(up) : "l"(&flags[tile]) : "memory");
        }
        flags[tile] = 0u;
