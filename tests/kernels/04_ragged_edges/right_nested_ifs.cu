// expect: passed
// if and else in place of ?:.

// BLANK load_a
if (row < M && k0 + tx < K) {
    As[ty][tx] = A[row * K + (k0 + tx)];
} else {
    As[ty][tx] = 0.0f;
}
// BLANK store
if (row >= M || col >= N) return;
C[row * N + col] = acc;
