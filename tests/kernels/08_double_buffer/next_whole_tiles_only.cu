// expect: wrong_result
// says: are wrong at M, N, K = 20, 23, 39
// A last tile that is not full is not copied.

// IN PLACE OF
        if (k0 + BK < K) {
// STANDS
        if (k0 + 2 * BK <= K) {
