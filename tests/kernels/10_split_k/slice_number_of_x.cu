// expect: wrong_result
// says: hold NaN
// The slice is taken from the column of tiles.

// IN PLACE OF
    const int k_first = blockIdx.z * slice;
    const int k_end = min(k_first + slice, K);
    float* own = workspace + blockIdx.z * M * N;
// STANDS
    const int k_first = blockIdx.x * slice;
    const int k_end = min(k_first + slice, K);
    float* own = workspace + blockIdx.x * M * N;
