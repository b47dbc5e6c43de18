// expect: wrong_result
// says: holds the sigmoid
// The sigmoid without its factor x.

// IN PLACE OF
    return x / (1.0f + expf(-x));
// STANDS
    return 1.0f / (1.0f + expf(-x));
