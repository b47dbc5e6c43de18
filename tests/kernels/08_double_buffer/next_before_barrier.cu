// expect: race
// says: may overwrite; still reads it; write after read
// The next copies start before all threads have read the buffer that they overwrite.

// IN PLACE OF
        __syncthreads();
// STANDS
// IN PLACE OF
        for (int k = 0; k < BK; ++k) {
// STANDS
        __syncthreads();
        for (int k = 0; k < BK; ++k) {
