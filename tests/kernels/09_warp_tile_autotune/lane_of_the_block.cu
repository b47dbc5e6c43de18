// expect: out_of_bounds
// says: beyond its end
// tid in place of lane.

// IN PLACE OF
    const int lane_x = lane / 2 % LANES_X;
    const int lane_y = lane / (2 * LANES_X) * 2 + lane % 2;
// STANDS
    const int lane_x = tid / 2 % LANES_X;
    const int lane_y = tid / 16 * 2 + tid % 2;
