// expect: passed
// With the launch's own sizes.

// BLANK row
const int row = blockIdx.y * blockDim.y + ty;
// BLANK col
const int col = tx + blockDim.x * blockIdx.x;
