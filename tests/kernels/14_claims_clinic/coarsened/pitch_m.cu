// expect: wrong_result
// says: A is read with rows of M elements
// A is read along its rows, with the length of its columns.

// IN PLACE OF
        As[ty][tx] = (row < M && k0 + tx < K) ? A[row * K + (k0 + tx)] : 0.0f;
// STANDS
        As[ty][tx] = (row < M && k0 + tx < K) ? A[row * M + (k0 + tx)] : 0.0f;
