// expect: barrier_divergence
// Threads whose row is beyond M return, as if each had a row.

// IN PLACE OF
    wmma::fragment<wmma::accumulator, SIDE, SIDE, SIDE, float> acc
// STANDS
    if (row0 + warp_row + lane >= M) return;
    wmma::fragment<wmma::accumulator, SIDE, SIDE, SIDE, float> acc
