// expect: passed
// A variable follows which buffer is next.

// IN PLACE OF
    for (int t = 0; t + 1 < tiles; ++t) {
// STANDS
    int buffer = 0;
    for (int t = 0; t + 1 < tiles; ++t) {
// IN PLACE OF
        __syncthreads();
    }
    acc = multiply((tiles - 1) % 2, acc);
// STANDS
        __syncthreads();
        buffer = 1 - buffer;
    }
    // The last pair of tiles lies in the buffer of its number.
    acc = multiply(buffer, acc);
