// expect: passed
// Beyond the K edge one factor 0 is enough, as long as the other is a number.

// BLANK load_a
As[ty][tx] = A[min(row, M - 1) * K + min(k0 + tx, K - 1)];
