// expect: barrier_divergence
// says: left the kernel; do not return early
// Threads outside C leave before a barrier that the others wait at.

// IN PLACE OF
    const int col = blockIdx.x * TILE + tx;  // of C and of B
// STANDS
    const int col = blockIdx.x * TILE + tx;
    if (row >= M || col >= N) return;
