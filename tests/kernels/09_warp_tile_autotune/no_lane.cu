// expect: wrong_result
// says: were never written
// All lanes of a warp compute the same patch.

// IN PLACE OF
    const int tx = warp % WARPS_X * LANES_X * TN + lane_x * 4;
    const int ty = warp / WARPS_X * LANES_Y * TM + lane_y * 4;
// STANDS
    const int tx = warp % WARPS_X * LANES_X * TN;
    const int ty = warp / WARPS_X * LANES_Y * TM;
