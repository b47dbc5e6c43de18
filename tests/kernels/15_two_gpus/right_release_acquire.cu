// expect: passed
// A store that releases and a load that acquires, at the scope of the system, in place of fences.

// IN PLACE OF
    __syncthreads();
    __threadfence_system();
// STANDS
    __syncthreads();

// IN PLACE OF
        atomicExch_system(&flags_of[tid][tile], 1u);
// STANDS
        asm volatile("st.release.sys.u32 [%0], 1;" ::"l"(&flags_of[tid][tile]) : "memory");

// IN PLACE OF
        while (atomicAdd_system(&flags[tile], 0u) == 0u) {
        }
        flags[tile] = 0u;
// STANDS
        unsigned up = 0;
        while (up == 0) {
            asm volatile("ld.acquire.sys.u32 %0, [%1];" : "=r"(up) : "l"(&flags[tile]) : "memory");
        }
        flags[tile] = 0u;
