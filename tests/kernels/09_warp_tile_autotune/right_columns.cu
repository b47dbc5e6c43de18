// expect: passed
// Warps column by column, lanes column by column.

// IN PLACE OF
    const int lane_x = lane / 2 % LANES_X;
    const int lane_y = lane / (2 * LANES_X) * 2 + lane % 2;
    const int tx = warp % WARPS_X * LANES_X * TN + lane_x * 4;
    const int ty = warp / WARPS_X * LANES_Y * TM + lane_y * 4;
// STANDS
    const int lane_y = lane % LANES_Y;
    const int lane_x = lane / LANES_Y;
    const int ty = warp % (BM / (LANES_Y * TM)) * LANES_Y * TM + lane_y * 4;
    const int tx = warp / (BM / (LANES_Y * TM)) * LANES_X * TN + lane_x * 4;
