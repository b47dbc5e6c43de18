// expect: wrong_result
// says: wrong where it is not; fill the slots; with 0
// Slots outside hold 1, which adds 1·1 beyond the K edge.

// BLANK load_a
As[ty][tx] = (row < M && k0 + tx < K) ? A[row * K + (k0 + tx)] : 1.0f;
// BLANK load_b
Bs[ty][tx] = (k0 + ty < K && col < N) ? B[(k0 + ty) * N + col] : 1.0f;
