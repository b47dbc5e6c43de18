// expect: wrong_result
// says: No element of C was written
// The partial sums are never added.

// IN PLACE OF
    reduce<<<(M * N + 255) / 256, 256>>>(workspace, C, M * N, slices);
// STANDS
