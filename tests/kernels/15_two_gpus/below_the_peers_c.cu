// expect: out_of_bounds
// says: On device 1: thread; of device 0; a device has only its own part
// The band is put behind itself: on the last device that is below the peer's last row.

// IN PLACE OF
        float* to = C_of[peer] + first * N;
// STANDS
        float* to = C_of[peer] + (first + M) * N;
