// expect: wrong_result
// says: wrong nearly everywhere
// The last pair of tiles is read from the other buffer.

// IN PLACE OF
    acc = multiply((tiles - 1) % 2, acc);
// STANDS
    acc = multiply(tiles % 2, acc);
