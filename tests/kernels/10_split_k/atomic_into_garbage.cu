// expect: uninitialized
// says: C does not start as zeros
// Atomic additions to a C that nobody has set to zero.

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
        for (int s = 0; s < slices; ++s) {
            atomicAdd(&C[i], workspace[s * count + i]);
        }
    }
