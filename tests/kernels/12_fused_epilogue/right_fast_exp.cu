// expect: passed
// The hardware's exponential, a few units less exact.

// IN PLACE OF
    return x / (1.0f + expf(-x));
// STANDS
    return x / (1.0f + __expf(-x));
