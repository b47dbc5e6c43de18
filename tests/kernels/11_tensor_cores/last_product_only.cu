// expect: wrong_result
// says: the mistake is in the sum itself
// What was summed before is not added.

// BLANK multiply
wmma::fill_fragment(acc[m][n], 0.0f);
wmma::mma_sync(acc[m][n], a[m], b[n], acc[m][n]);
