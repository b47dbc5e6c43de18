// expect: out_of_bounds
// says: beyond its end: it is declared as float Bs
// The warps are counted column by column, with the wrong number in a column.

// IN PLACE OF
    const int tx = warp % WARPS_X * LANES_X + lane_x;
    const int ty = warp / WARPS_X * LANES_Y + lane_y;
// STANDS
    const int tx = warp / WARPS_X * LANES_X + lane_x;
    const int ty = warp % WARPS_X * LANES_Y + lane_y;
