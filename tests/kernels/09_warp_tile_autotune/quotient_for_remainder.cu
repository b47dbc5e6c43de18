// expect: out_of_bounds
// says: beyond its end: it is declared as float Bs
// The warps are counted column by column, with the wrong number in a column.

// IN PLACE OF
    const int tx = warp % WARPS_X * LANES_X * TN + lane_x * 4;
    const int ty = warp / WARPS_X * LANES_Y * TM + lane_y * 4;
// STANDS
    const int tx = warp / WARPS_X * LANES_X * TN + lane_x * 4;
    const int ty = warp % WARPS_X * LANES_Y * TM + lane_y * 4;
