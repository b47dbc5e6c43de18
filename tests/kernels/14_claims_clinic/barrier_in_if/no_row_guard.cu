// expect: out_of_bounds
// says: A is
// The barrier is out of the if, and the guard of the row with it.

// IN PLACE OF
        As[ty][tx] = (row < M && k0 + tx < K) ? A[row * K + k0 + tx] : 0.0f;
// STANDS
        As[ty][tx] = (k0 + tx < K) ? A[row * K + k0 + tx] : 0.0f;
