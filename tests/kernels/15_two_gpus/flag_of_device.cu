// expect: race
// says: only its own device
// The flag by an atomic of the device.

// IN PLACE OF
        atomicExch_system(&flags_of[tid][tile], 1u);
// STANDS
        atomicExch(&flags_of[tid][tile], 1u);
