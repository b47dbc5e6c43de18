// run: --launcher sgemm
// expect: passed
// Tile sizes and a checking macro come from a file beside this one.
#pragma once
#include "parts/tile.cuh"
#include "parts/tile.cuh"

__global__ void sgemm_tiled(const float* A, const float* B, float* C, int M, int N, int K) {
    __shared__ float As[kTile][kTile], Bs[kTile][kTile];
    const int row = blockIdx.y * kTile + threadIdx.y, col = blockIdx.x * kTile + threadIdx.x;
    float acc = 0.0f;
    for (int k0 = 0; k0 < K; k0 += kTile) {
        As[threadIdx.y][threadIdx.x] = load(A, row, k0 + threadIdx.x, M, K);
        Bs[threadIdx.y][threadIdx.x] = load(B, k0 + threadIdx.y, col, K, N);
        __syncthreads();
        for (int k = 0; k < kTile; ++k) acc += As[threadIdx.y][k] * Bs[k][threadIdx.x];
        __syncthreads();
    }
    if (row < M && col < N) C[row * N + col] = acc;
}

void sgemm(const float* A, const float* B, float* C, int M, int N, int K) {
    dim3 block(kTile, kTile), grid(util::cdiv(N, kTile), util::cdiv(M, kTile));
    sgemm_tiled<<<grid, block>>>(A, B, C, M, N, K);
    CHECK_LAUNCH();
}
