// expect: uninitialized
// says: shared memory that no thread has written; with 0 where the matrix ends
// Slots outside the matrix keep what the tile before left there.

// IN PLACE OF
        As[ty][tx] = (row < M && k0 + tx < K) ? A[row * K + (k0 + tx)] : 0.0f;
        Bs[ty][tx] = (k0 + ty < K && col < N) ? B[(k0 + ty) * N + col] : 0.0f;
// STANDS
        if (row < M && k0 + tx < K) As[ty][tx] = A[row * K + (k0 + tx)];
        if (k0 + ty < K && col < N) Bs[ty][tx] = B[(k0 + ty) * N + col];
