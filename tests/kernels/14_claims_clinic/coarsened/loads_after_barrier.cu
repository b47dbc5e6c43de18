// expect: race
// says: may not have written it yet
// The tile of A is filled after the barrier that should order it.

// IN PLACE OF
        As[ty][tx] = (row < M && k0 + tx < K) ? A[row * K + (k0 + tx)] : 0.0f;
// STANDS
// IN PLACE OF
            for (int k = 0; k < TILE; ++k) {
// STANDS
            if (c == 0) As[ty][tx] = (row < M && k0 + tx < K) ? A[row * K + (k0 + tx)] : 0.0f;
            for (int k = 0; k < TILE; ++k) {
