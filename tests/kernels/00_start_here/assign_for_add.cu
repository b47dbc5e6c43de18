// expect: wrong_result
// says: the last k; += instead of =
// Only the last product is left.

// IN PLACE OF
            acc += A[row * K + k] * B[k * N + col];
// STANDS
            acc = A[row * K + k] * B[k * N + col];
