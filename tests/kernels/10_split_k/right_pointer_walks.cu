// expect: passed
// The reduction walks from slice to slice, and the last one first.

// IN PLACE OF
    if (i < count) {
        float sum = 0.0f;
        for (int s = 0; s < slices; ++s) {
            sum += workspace[s * count + i];
        }
        C[i] = sum;
    }
// STANDS
    if (i >= count) return;
    float sum = 0.0f;
    for (int s = slices - 1; s >= 0; --s) {
        sum += workspace[i + s * count];
    }
    C[i] = sum;
