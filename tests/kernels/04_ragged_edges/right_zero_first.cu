// expect: passed
// 0 first, then the element where there is one.

// IN PLACE OF
        As[ty][tx] = (row < M && k0 + tx < K) ? A[row * K + (k0 + tx)] : 0.0f;
        Bs[ty][tx] = (k0 + ty < K && col < N) ? B[(k0 + ty) * N + col] : 0.0f;
// STANDS
        As[ty][tx] = 0.0f;
        if (row < M && k0 + tx < K) As[ty][tx] = A[row * K + (k0 + tx)];
        float b = 0.0f;
        if (k0 + ty < K && col < N) b = B[(k0 + ty) * N + col];
        Bs[ty][tx] = b;
