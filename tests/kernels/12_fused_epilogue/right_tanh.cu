// expect: passed
// The sigmoid by way of tanh.

// IN PLACE OF
    return x / (1.0f + expf(-x));
// STANDS
    return 0.5f * x * (1.0f + tanhf(0.5f * x));
