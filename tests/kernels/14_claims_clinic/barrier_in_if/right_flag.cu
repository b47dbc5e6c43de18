// expect: passed
// The guard has a name.

// IN PLACE OF
    const int col = blockIdx.x * TILE + tx;
// STANDS
    const int col = blockIdx.x * TILE + tx;
    const bool inside = row < M && col < N;
// IN PLACE OF
    if (row < M && col < N) {
// STANDS
    if (inside) {
