// expect: race
// says: threads of two blocks; its own part of workspace
// All slices store to the same part of the workspace.

// IN PLACE OF
    float* own = workspace + blockIdx.z * M * N;
// STANDS
    float* own = workspace;
