// expect: wrong_result
// says: were never written
// Eight lanes have a patch that another lane has, too.

// IN PLACE OF
    const int lane_x = lane / 2 % LANES_X;
    const int lane_y = lane / (2 * LANES_X) * 2 + lane % 2;
// STANDS
    const int lane_x = lane % LANES_Y;
    const int lane_y = lane / LANES_X;
