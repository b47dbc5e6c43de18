// expect: wrong_result
// says: never written
// Every tile goes to the own C, as often as there are devices.

// IN PLACE OF
        float* to = C_of[peer] + first * N;
// STANDS
        float* to = C_of[rank] + first * N;
