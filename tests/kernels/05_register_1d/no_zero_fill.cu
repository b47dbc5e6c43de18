// expect: uninitialized
// says: shared memory that no thread has written; with 0 where the matrix ends
// Slots outside the matrix keep what the tile before left there.

// IN PLACE OF
            As[r][a_col] = (row0 + r < M && k0 + a_col < K) ? A[(row0 + r) * K + (k0 + a_col)] : 0.0f;
// STANDS
            if (row0 + r < M && k0 + a_col < K) As[r][a_col] = A[(row0 + r) * K + (k0 + a_col)];
