// expect: passed
// The tile of A is filled with the first of the columns.

// IN PLACE OF
        As[ty][tx] = (row < M && k0 + tx < K) ? A[row * K + (k0 + tx)] : 0.0f;
// STANDS
// IN PLACE OF
            Bs[ty][tx] = (k0 + ty < K && n < N) ? B[(k0 + ty) * N + n] : 0.0f;
// STANDS
            if (c == 0) As[ty][tx] = (row < M && k0 + tx < K) ? A[row * K + (k0 + tx)] : 0.0f;
            Bs[ty][tx] = (k0 + ty < K && n < N) ? B[(k0 + ty) * N + n] : 0.0f;
