// expect: race
// says: __threadfence() reaches only its own device
// The fence of the device, not of the system.

// IN PLACE OF
    __syncthreads();
    __threadfence_system();
// STANDS
    __syncthreads();
    __threadfence();
