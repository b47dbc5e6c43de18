// expect: out_of_bounds
// says: of A
// The row length of another matrix: right where N = K only.

// IN PLACE OF
            acc += A[row * K + k] * B[k * N + col];
// STANDS
            acc += A[row * N + k] * B[k * N + col];
