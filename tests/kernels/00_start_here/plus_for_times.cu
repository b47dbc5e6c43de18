// expect: wrong_result
// says: a + b instead of a * b
// The two values are added.

// IN PLACE OF
            acc += A[row * K + k] * B[k * N + col];
// STANDS
            acc += A[row * K + k] + B[k * N + col];
