// expect: wrong_result
// says: the sign in the exponent is wrong
// exp(x) for exp(-x).

// IN PLACE OF
    return x / (1.0f + expf(-x));
// STANDS
    return x / (1.0f + expf(x));
