// expect: wrong_result
// says: which is ReLU
// Another activation.

// IN PLACE OF
    return x / (1.0f + expf(-x));
// STANDS
    return fmaxf(x, 0.0f);
