// expect: passed
// The products of a step in another order, A's fragments read one by one.

// BLANK load
for (int n = WN / SIDE - 1; n >= 0; --n) {
    wmma::load_matrix_sync(b[n], &Bs[k][warp_col + n * SIDE], BN + PAD);
}
for (int m = WM / SIDE - 1; m >= 0; --m) {
    wmma::load_matrix_sync(a[m], As[warp_row + m * SIDE] + k, BK + PAD);
}
