// expect: passed
// The last bit in place of the remainder.

// IN PLACE OF
    acc = multiply((tiles - 1) % 2, acc);
// STANDS
    acc = multiply((tiles - 1) & 1, acc);
