// expect: out_of_bounds
// says: of A; guard
// The loads are not guarded.

// IN PLACE OF
        As[ty][tx] = (row < M && k0 + tx < K) ? A[row * K + (k0 + tx)] : 0.0f;
// STANDS
        As[ty][tx] = A[row * K + (k0 + tx)];
