// expect: barrier_divergence
// says: waits at the barrier
// Only the threads that load come to the barrier.

// IN PLACE OF
            *reinterpret_cast<float4*>(&Bs[ty][tx * 4]) = load4(B, k0 + ty, blockIdx.x * TILE + tx * 4, K, N);
// STANDS
            *reinterpret_cast<float4*>(&Bs[ty][tx * 4]) = load4(B, k0 + ty, blockIdx.x * TILE + tx * 4, K, N);
            __syncthreads();
// IN PLACE OF
        __syncthreads();
        for (int k = 0; k < TILE; ++k) {
// STANDS
        for (int k = 0; k < TILE; ++k) {
