// expect: race
// says: never waits for a flag of device
// The flags go up, and nobody looks at them.

// IN PLACE OF
        while (atomicAdd_system(&flags[tile], 0u) == 0u) {
        }
        atomicExch_system(&flags[tile], 0u);
// STANDS
