// expect: uninitialized
// says: a variable that was never set
// The sum has no first value.

// IN PLACE OF
        float sum = 0.0f;
// STANDS
        float sum;
