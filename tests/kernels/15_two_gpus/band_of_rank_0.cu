// expect: wrong_result
// Every device stores its band at row 0.

// IN PLACE OF
        float* to = C_of[peer] + first * N;
// STANDS
        float* to = C_of[peer];
