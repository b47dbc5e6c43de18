// expect: race
// says: each element of each device's C needs one writer
// Every device stores its band at row 0.

// IN PLACE OF
        float* to = C_of[peer] + first * N;
// STANDS
        float* to = C_of[peer];
