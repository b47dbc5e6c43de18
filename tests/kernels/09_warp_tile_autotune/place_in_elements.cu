// expect: out_of_bounds
// says: beyond its end
// The place is counted in elements, and multiplied by TM and TN once more.

// IN PLACE OF
    const int tx = warp % WARPS_X * LANES_X + lane_x;
    const int ty = warp / WARPS_X * LANES_Y + lane_y;
// STANDS
    const int tx = warp % WARPS_X * LANES_X * TN + lane_x;
    const int ty = warp / WARPS_X * LANES_Y * TM + lane_y;
