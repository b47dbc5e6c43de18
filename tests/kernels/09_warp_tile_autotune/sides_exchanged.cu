// expect: out_of_bounds
// says: beyond its end: it is declared as float As
// The lanes stand in 8 rows of 4.

// IN PLACE OF
    const int lane_x = lane / 2 % LANES_X;
    const int lane_y = lane / (2 * LANES_X) * 2 + lane % 2;
// STANDS
    const int lane_x = lane / LANES_X;
    const int lane_y = lane % LANES_X;
