// expect: passed
// The element of Bs has a name.

// IN PLACE OF
            acc += As[ty][k] * Bs[tx][k];
// STANDS
            const float b = Bs[tx][k];
            acc += As[ty][k] * b;
