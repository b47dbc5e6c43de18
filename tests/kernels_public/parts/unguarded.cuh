#pragma once
__device__ __forceinline__ float at(const float* matrix, int row, int col, int cols) {
    return matrix[row * cols + col];
}
