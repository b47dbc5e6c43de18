// expect: barrier_divergence
// says: left the kernel; do not return early
// Threads outside C leave before a barrier that the others wait at.

// BLANK load_a
if (row >= M || col >= N) return;
As[ty][tx] = (row < M && k0 + tx < K) ? A[row * K + (k0 + tx)] : 0.0f;
