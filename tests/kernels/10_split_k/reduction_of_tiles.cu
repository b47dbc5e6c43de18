// expect: wrong_result
// says: were never written
// One block of the reduction a tile: most elements have no thread.

// IN PLACE OF
    reduce<<<(M * N + 255) / 256, 256>>>(workspace, C, M * N, slices);
// STANDS
    reduce<<<tiles_x * tiles_y, 256>>>(workspace, C, M * N, slices);
