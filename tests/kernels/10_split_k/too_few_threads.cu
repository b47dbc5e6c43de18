// expect: wrong_result
// says: were never written
// The number of blocks is rounded down.

// IN PLACE OF
    reduce<<<(M * N + 255) / 256, 256>>>(workspace, C, M * N, slices);
// STANDS
    reduce<<<M * N / 256, 256>>>(workspace, C, M * N, slices);
