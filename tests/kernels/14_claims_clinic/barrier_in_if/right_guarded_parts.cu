// expect: passed
// Only the sum stands in the if; both barriers stand outside.

// IN PLACE OF
        for (int k = 0; k < TILE; ++k) {
            acc += As[ty][k] * Bs[k][tx];
// STANDS
        if (row < M && col < N) {
            for (int k = 0; k < TILE; ++k) acc += As[ty][k] * Bs[k][tx];
