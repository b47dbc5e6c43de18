// expect: race
// says: both write
// All 16 threads of a row write its four places.

// IN PLACE OF
        if (tx < TILE / 4) {
            *reinterpret_cast<float4*>(&As[ty][tx * 4]) = load4(A, row, k0 + tx * 4, M, K);
            *reinterpret_cast<float4*>(&Bs[ty][tx * 4]) = load4(B, k0 + ty, blockIdx.x * TILE + tx * 4, K, N);
// STANDS
        {
            *reinterpret_cast<float4*>(&As[ty][tx % 4 * 4]) = load4(A, row, k0 + tx * 4, M, K);
            *reinterpret_cast<float4*>(&Bs[ty][tx % 4 * 4]) = load4(B, k0 + ty, blockIdx.x * TILE + tx * 4, K, N);
