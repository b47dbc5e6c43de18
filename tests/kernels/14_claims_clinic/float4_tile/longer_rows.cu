// expect: counter
// says: still load more floats than a pair of tiles has; At M, N, K = 64, 64, 64
// Rows of 64 floats have room for all that the 16 threads of a row write, and nobody uses most of it.

// IN PLACE OF
#define PAD 4
// STANDS
#define PAD 48

// IN PLACE OF
        if (tx < TILE / 4) {
            *reinterpret_cast<float4*>(&As[ty][tx * 4]) = load4(A, row, k0 + tx * 4, M, K);
            *reinterpret_cast<float4*>(&Bs[ty][tx * 4]) = load4(B, k0 + ty, blockIdx.x * TILE + tx * 4, K, N);
        }
// STANDS
        *reinterpret_cast<float4*>(&As[ty][tx * 4]) = load4(A, row, k0 + tx * 4, M, K);
        *reinterpret_cast<float4*>(&Bs[ty][tx * 4]) = load4(B, k0 + ty, blockIdx.x * TILE + tx * 4, K, N);
