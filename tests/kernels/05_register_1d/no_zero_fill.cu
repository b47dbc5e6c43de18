// expect: uninitialized
// says: shared memory that no thread has written; with 0 where the matrix ends
// Slots outside the matrix keep what the tile before left there.

// IN PLACE OF
            As[r][c] = (row0 + r < M && k0 + c < K) ? A[(row0 + r) * K + (k0 + c)] : 0.0f;
// STANDS
            if (row0 + r < M && k0 + c < K) As[r][c] = A[(row0 + r) * K + (k0 + c)];
