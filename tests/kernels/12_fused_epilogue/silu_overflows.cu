// expect: wrong_result
// says: hold NaN
// exp(x) / (1 + exp(x)) is infinity over infinity beyond 88.

// IN PLACE OF
    return x / (1.0f + expf(-x));
// STANDS
    return x * (expf(x) / (1.0f + expf(x)));
