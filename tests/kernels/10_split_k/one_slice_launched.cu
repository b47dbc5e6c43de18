// expect: wrong_result
// says: hold NaN
// The grid has no third dimension.

// IN PLACE OF
    partial_sums<<<dim3(tiles_x, tiles_y, slices), dim3(BN / TN, BM / TM)>>>(A, B, workspace, M, N, K, slice);
// STANDS
    partial_sums<<<dim3(tiles_x, tiles_y), dim3(BN / TN, BM / TM)>>>(A, B, workspace, M, N, K, slice);
