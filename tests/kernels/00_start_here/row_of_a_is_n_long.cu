// expect: out_of_bounds
// says: of A; computes C[48][0], which exists; the index that is wrong; A[row * K + k]
// The row length of another matrix: right where N = K only.

// IN PLACE OF
            acc += A[row * K + k] * B[k * N + col];
// STANDS
            acc += A[row * N + k] * B[k * N + col];
