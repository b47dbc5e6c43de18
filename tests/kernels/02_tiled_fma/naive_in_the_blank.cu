// expect: counter
// says: does not come from the tiles; there are 2 floats read from global memory for each multiply-add
// The tiles are filled and not used: each product is of two elements from global memory.

// BLANK fma
            if (row < M && col < N && k0 + k < K) {
                acc += A[row * K + k0 + k] * B[(k0 + k) * N + col];
            }
