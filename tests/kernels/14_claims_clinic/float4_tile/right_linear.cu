// expect: passed
// The first 64 threads load, four of them a row.

// IN PLACE OF
        if (tx < TILE / 4) {
            *reinterpret_cast<float4*>(&As[ty][tx * 4]) = load4(A, row, k0 + tx * 4, M, K);
            *reinterpret_cast<float4*>(&Bs[ty][tx * 4]) = load4(B, k0 + ty, blockIdx.x * TILE + tx * 4, K, N);
// STANDS
        const int i = ty * TILE + tx;
        if (i < TILE * TILE / 4) {
            const int r = i / 4;
            const int c = i % 4 * 4;
            *reinterpret_cast<float4*>(&As[r][c]) = load4(A, blockIdx.y * TILE + r, k0 + c, M, K);
            *reinterpret_cast<float4*>(&Bs[r][c]) = load4(B, k0 + r, blockIdx.x * TILE + c, K, N);
