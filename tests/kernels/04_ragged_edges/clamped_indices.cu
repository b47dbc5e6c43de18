// expect: wrong_result
// says: needs 0, not a clamped index
// Slots outside repeat the last element of A and of B.

// BLANK load_a
As[ty][tx] = A[min(row, M - 1) * K + min(k0 + tx, K - 1)];
// BLANK load_b
Bs[ty][tx] = B[min(k0 + ty, K - 1) * N + min(col, N - 1)];
