// expect: wrong_result
// says: multiplies for one row and column and stores to another
// Row and column of the warp are swapped in the tiles, and not where it stores.

// BLANK load
for (int m = 0; m < WM / SIDE; ++m) {
    wmma::load_matrix_sync(a[m], &As[warp_col + m * SIDE][k], BK + PAD);
}
for (int n = 0; n < WN / SIDE; ++n) {
    wmma::load_matrix_sync(b[n], &Bs[k][warp_row + n * SIDE], BN + PAD);
}
