// expect: passed
// The reduction adds in float64.

// IN PLACE OF
        float sum = 0.0f;
// STANDS
        double sum = 0.0;
