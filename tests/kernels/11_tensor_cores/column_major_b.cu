// expect: wrong_result
// B's fragments are declared to lie column by column.

// IN PLACE OF
SIDE, __half, wmma::row_major> b[
// STANDS
SIDE, __half, wmma::col_major> b[
