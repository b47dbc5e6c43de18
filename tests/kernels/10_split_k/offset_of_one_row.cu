// expect: race
// says: threads of two blocks; workspace
// The parts of the workspace overlap.

// IN PLACE OF
    float* own = workspace + blockIdx.z * M * N;
// STANDS
    float* own = workspace + blockIdx.z * N;
