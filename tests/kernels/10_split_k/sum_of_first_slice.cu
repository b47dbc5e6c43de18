// expect: wrong_result
// says: elements of C are wrong
// The reduction copies the first slice's sums.

// IN PLACE OF
    if (i < count) {
        float sum = 0.0f;
        for (int s = 0; s < slices; ++s) {
            sum += workspace[s * count + i];
        }
        C[i] = sum;
    }
// STANDS
    if (i < count) {
        C[i] = workspace[i];
    }
