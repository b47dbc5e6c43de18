// expect: compile_error
// says: gives 'reduce' 3 arguments; it takes 4
// The reduction is not told how many slices there are.

// IN PLACE OF
    reduce<<<(M * N + 255) / 256, 256>>>(workspace, C, M * N, slices);
// STANDS
    reduce<<<(M * N + 255) / 256, 256>>>(workspace, C, M * N);
