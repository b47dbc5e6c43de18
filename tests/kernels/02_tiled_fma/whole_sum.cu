// expect: wrong_result
// says: loses its fraction; must be floats
// The running sum is a whole number.

// IN PLACE OF
float acc = 0.0f;
// STANDS
    int acc = 0;
// BLANK fma
acc += As[ty][k] * Bs[k][tx];
