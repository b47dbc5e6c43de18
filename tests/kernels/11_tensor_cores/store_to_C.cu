// expect: misaligned
// says: each row must hold a multiple of 4 floats
// Fragments are stored straight into C, whatever N is.

// BLANK store
wmma::store_matrix_sync(C + (row0 + warp_row + m * SIDE) * N + col0 + warp_col + n * SIDE, acc[m][n], N,
                        wmma::mem_row_major);
