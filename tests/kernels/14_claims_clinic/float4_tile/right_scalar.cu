// expect: passed
// Each thread loads one element of each tile.

// IN PLACE OF
        if (tx < TILE / 4) {
            *reinterpret_cast<float4*>(&As[ty][tx * 4]) = load4(A, row, k0 + tx * 4, M, K);
            *reinterpret_cast<float4*>(&Bs[ty][tx * 4]) = load4(B, k0 + ty, blockIdx.x * TILE + tx * 4, K, N);
        }
// STANDS
        As[ty][tx] = (row < M && k0 + tx < K) ? A[row * K + k0 + tx] : 0.0f;
        Bs[ty][tx] = (k0 + ty < K && col < N) ? B[(k0 + ty) * N + col] : 0.0f;
