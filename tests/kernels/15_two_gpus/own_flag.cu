// expect: timeout
// says: waits
// The flag is raised at home, where nobody looks at it.

// IN PLACE OF
        atomicExch_system(&flags_of[tid][tile], 1u);
// STANDS
        atomicExch_system(&flags_of[rank][tile], 1u);
