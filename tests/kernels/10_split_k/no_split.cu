// expect: counter
// says: one block walks along more than its slice
// The first slice does all the work, the others store zeros.

// IN PLACE OF
    const int k_first = blockIdx.z * slice;
    const int k_end = min(k_first + slice, K);
// STANDS
    const int k_first = 0;
    const int k_end = blockIdx.z == 0 ? K : 0;
