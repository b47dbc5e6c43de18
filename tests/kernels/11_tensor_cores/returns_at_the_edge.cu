// expect: barrier_divergence
// says: that do not come; call it outside of the branch
// Threads whose row is beyond M return, as if each had a row.

// IN PLACE OF
    const int warp_col = warp % WARPS_X * WN;
// STANDS
    const int warp_col = warp % WARPS_X * WN;
    if (row0 + warp_row + lane >= M) return;
