// expect: passed
// The same order in shifts and masks.

// IN PLACE OF
    const int lane_x = lane / 2 % LANES_X;
    const int lane_y = lane / (2 * LANES_X) * 2 + lane % 2;
// STANDS
    const int lane_x = (lane >> 1) & 7;
    const int lane_y = (lane & 1) | (lane >> 4) << 1;
