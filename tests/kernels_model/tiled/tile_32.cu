// Tiles of 32 by 32, 1024 threads a block, one-dimensional.
// block: 1024
// grid: cdiv(M,32),cdiv(N,32)
#define TILE 32

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float As[TILE * TILE], Bs[TILE * TILE];
    const int x = threadIdx.x % TILE, y = threadIdx.x / TILE;
    const int row = blockIdx.x * TILE + y, col = blockIdx.y * TILE + x;
    float sum = 0.0f;
    for (int k0 = 0; k0 < K; k0 += TILE) {
        As[y * TILE + x] = row < M && k0 + x < K ? A[row * K + k0 + x] : 0.0f;
        Bs[y * TILE + x] = k0 + y < K && col < N ? B[(k0 + y) * N + col] : 0.0f;
        __syncthreads();
        for (int k = 0; k < TILE; ++k) sum += As[y * TILE + k] * Bs[k * TILE + x];
        __syncthreads();
    }
    if (row < M && col < N) C[row * N + col] = sum;
}
