// expect: out_of_bounds
// says: beyond its end: workspace has
// The surplus threads of the last block store too.

// IN PLACE OF
    if (i < count) {
        float sum = 0.0f;
        for (int s = 0; s < slices; ++s) {
            sum += workspace[s * count + i];
        }
        C[i] = sum;
    }
// STANDS
    float sum = 0.0f;
    for (int s = 0; s < slices; ++s) {
        sum += workspace[s * count + i];
    }
    C[i] = sum;
