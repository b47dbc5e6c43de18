// expect: race
// says: was set already when the launch began
// The flags stay up: the next product does not wait.

// IN PLACE OF
        while (atomicAdd_system(&flags[tile], 0u) == 0u) {
        }
        atomicExch_system(&flags[tile], 0u);
// STANDS
        while (atomicAdd_system(&flags[tile], 0u) == 0u) {
        }
