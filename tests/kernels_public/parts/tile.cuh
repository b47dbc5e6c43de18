#pragma once
#include <cstdio>
#include "check.h"

constexpr int kTile = 16;

namespace util {
inline int cdiv(int a, int b) { return (a + b - 1) / b; }
}

__device__ __forceinline__ float load(const float* matrix, int row, int col, int rows, int cols) {
    return row < rows && col < cols ? matrix[row * cols + col] : 0.0f;
}
