// expect: passed
// The reduction has blocks of 128 threads.

// IN PLACE OF
    reduce<<<(M * N + 255) / 256, 256>>>(workspace, C, M * N, slices);
// STANDS
    reduce<<<(M * N + 127) / 128, 128>>>(workspace, C, M * N, slices);
