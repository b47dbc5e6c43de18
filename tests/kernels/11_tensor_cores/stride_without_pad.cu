// expect: uninitialized
// says: never set
// The rows of the tiles are taken to be as long as the tile is wide.

// BLANK load
for (int m = 0; m < WM / SIDE; ++m) {
    wmma::load_matrix_sync(a[m], &As[warp_row + m * SIDE][k], BK);
}
for (int n = 0; n < WN / SIDE; ++n) {
    wmma::load_matrix_sync(b[n], &Bs[k][warp_col + n * SIDE], BN);
}
