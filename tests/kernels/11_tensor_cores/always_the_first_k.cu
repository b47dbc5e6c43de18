// expect: wrong_result
// says: follow the sum of one of them by hand
// Fragments of A are always those of the tile's first columns.

// BLANK load
for (int m = 0; m < WM / SIDE; ++m) {
    wmma::load_matrix_sync(a[m], &As[warp_row + m * SIDE][0], BK + PAD);
}
for (int n = 0; n < WN / SIDE; ++n) {
    wmma::load_matrix_sync(b[n], &Bs[k][warp_col + n * SIDE], BN + PAD);
}
