// expect: barrier_divergence
// says: that do not come; call it outside of the branch
// A guard keeps a part of the warp from the product.

// BLANK multiply
if (row0 + warp_row + lane % SIDE < M) {
    wmma::mma_sync(acc[m][n], a[m], b[n], acc[m][n]);
}
