// expect: wrong_result
// says: hold NaN
// The reduction is launched before there is anything to add.

// IN PLACE OF
    partial_sums<<<dim3(tiles_x, tiles_y, slices), dim3(BN / TN, BM / TM)>>>(A, B, workspace, M, N, K, slice);
    reduce<<<(M * N + 255) / 256, 256>>>(workspace, C, M * N, slices);
// STANDS
    reduce<<<(M * N + 255) / 256, 256>>>(workspace, C, M * N, slices);
    partial_sums<<<dim3(tiles_x, tiles_y, slices), dim3(BN / TN, BM / TM)>>>(A, B, workspace, M, N, K, slice);
