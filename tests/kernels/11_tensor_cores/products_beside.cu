// expect: counter
// says: had little or no part in it; tensor instructions make 0 % of the multiply-adds
// The product is made by ordinary multiply-adds from the tiles; the fragments only carry the sums.

// BLANK load
if (K < 0) {
    wmma::load_matrix_sync(a[0], &As[0][0], BK + PAD);
}
// BLANK multiply
;
// IN PLACE OF
            C[(row0 + r) * N + col0 + c] = Cs[r][c];
// STANDS
            float sum = 0.0f;
            for (int k = 0; k < K; ++k) {
                sum += __half2float(A[(row0 + r) * K + k]) * __half2float(B[k * N + col0 + c]);
            }
            C[(row0 + r) * N + col0 + c] = sum;
