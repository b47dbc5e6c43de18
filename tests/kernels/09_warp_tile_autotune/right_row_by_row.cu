// expect: passed
// Another order of the lanes: right, and no faster.

// IN PLACE OF
    const int lane_x = lane / 2 % LANES_X;
    const int lane_y = lane / (2 * LANES_X) * 2 + lane % 2;
// STANDS
    const int lane_x = lane % LANES_X;
    const int lane_y = lane / LANES_X;
