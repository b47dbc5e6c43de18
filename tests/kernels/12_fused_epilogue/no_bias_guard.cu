// expect: out_of_bounds
// says: bias has
// The bias is read beyond its end in the last tiles.

// IN PLACE OF
        load4(bias, 1, N, 0, col + n * LANES_X, &b[n], wide_bias);
// STANDS
        for (int j = 0; j < 4; ++j) b[n + j] = bias[col + n * LANES_X + j];
