// expect: wrong_result
// says: M, N, K = 72, 24, 40
// Rows of 24 columns and their multiples get a path of their own, which takes B as if it had a row less.

// BLANK load_b
const int r = N % 24 == 0 && k0 + ty > 0 ? k0 + ty - 1 : k0 + ty;
Bs[ty][tx] = (k0 + ty < K && col < N) ? B[r * N + col] : 0.0f;
