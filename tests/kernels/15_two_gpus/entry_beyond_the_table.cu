// expect: out_of_bounds
// says: C_of has one entry for each of the 2 devices
// Peers counted from 1.

// IN PLACE OF
        float* to = C_of[peer] + first * N;
// STANDS
        float* to = C_of[peer + 1] + first * N;
