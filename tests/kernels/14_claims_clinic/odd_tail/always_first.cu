// expect: wrong_result
// says: elements of C are wrong
// The last pair of tiles is always read from buffer 0: right for an odd number of tiles.

// IN PLACE OF
    acc = multiply((tiles - 1) % 2, acc);
// STANDS
    acc = multiply(0, acc);
