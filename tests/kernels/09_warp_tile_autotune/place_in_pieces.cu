// expect: misaligned
// says: no multiple of 16
// The place is counted in pieces, where elements are meant: neighbours overlap.

// IN PLACE OF
    const int tx = warp % WARPS_X * LANES_X * TN + lane_x * 4;
    const int ty = warp / WARPS_X * LANES_Y * TM + lane_y * 4;
// STANDS
    const int tx = warp % WARPS_X * LANES_X + lane_x;
    const int ty = warp / WARPS_X * LANES_Y + lane_y;
