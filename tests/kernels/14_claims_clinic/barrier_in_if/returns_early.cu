// expect: barrier_divergence
// says: has left the kernel without it
// Threads outside C leave before a barrier that the others wait at.

// IN PLACE OF
    const int col = blockIdx.x * TILE + tx;
// STANDS
    const int col = blockIdx.x * TILE + tx;
    if (row >= M || col >= N) return;
