// expect: wrong_result
// says: were never written
// All lanes of a warp compute the same patch.

// IN PLACE OF
    const int tx = warp % WARPS_X * LANES_X + lane_x;
    const int ty = warp / WARPS_X * LANES_Y + lane_y;
// STANDS
    const int tx = warp % WARPS_X * LANES_X;
    const int ty = warp / WARPS_X * LANES_Y;
