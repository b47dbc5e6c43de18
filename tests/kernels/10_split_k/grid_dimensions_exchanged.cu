// expect: wrong_result
// says: hold NaN
// Slices and tiles in the wrong dimensions.

// IN PLACE OF
    partial_sums<<<dim3(tiles_x, tiles_y, slices), dim3(BN / TN, BM / TM)>>>(A, B, workspace, M, N, K, slice);
// STANDS
    partial_sums<<<dim3(tiles_x, slices, tiles_y), dim3(BN / TN, BM / TM)>>>(A, B, workspace, M, N, K, slice);
