// expect: race
// says: threads of two blocks; its own part of workspace
// The parts of the workspace are as far apart as a tile is large, not as C.

// IN PLACE OF
    float* own = workspace + blockIdx.z * M * N;
// STANDS
    float* own = workspace + blockIdx.z * BM * BN;
