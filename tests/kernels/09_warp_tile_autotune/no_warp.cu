// expect: wrong_result
// says: were never written
// All warps compute the same warp tile.

// IN PLACE OF
    const int tx = warp % WARPS_X * LANES_X + lane_x;
    const int ty = warp / WARPS_X * LANES_Y + lane_y;
// STANDS
    const int tx = lane_x;
    const int ty = lane_y;
