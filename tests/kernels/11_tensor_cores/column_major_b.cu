// expect: wrong_result
// says: follow the sum of one of them by hand
// B's fragments are declared to lie column by column.

// IN PLACE OF
            wmma::fragment<wmma::matrix_b, SIDE, SIDE, SIDE, __half, wmma::row_major> b[WN / SIDE];
// STANDS
            wmma::fragment<wmma::matrix_b, SIDE, SIDE, SIDE, __half, wmma::col_major> b[WN / SIDE];
