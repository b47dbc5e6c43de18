// expect: out_of_bounds
// says: beyond its end: B is
// M and N are given in the wrong order.

// IN PLACE OF
    partial_sums<<<dim3(tiles_x, tiles_y, slices), dim3(BN / TN, BM / TM)>>>(A, B, workspace, M, N, K, slice);
// STANDS
    partial_sums<<<dim3(tiles_x, tiles_y, slices), dim3(BN / TN, BM / TM)>>>(A, B, workspace, N, M, K, slice);
