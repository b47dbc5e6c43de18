// expect: race
// says: never waits for a flag of device
// Nobody waits.

// IN PLACE OF
        while (atomicAdd_system(&flags[tile], 0u) == 0u) {
        }
        flags[tile] = 0u;
// STANDS
        flags[tile] = 0u;
