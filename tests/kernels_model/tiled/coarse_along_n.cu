// Thread coarsening: a block makes four tiles beside each other, which share the tile of A.
// block: 32,32
// grid: cdiv(N,128),cdiv(M,32)
#define TILE 32
#define COARSE 4

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float As[TILE][TILE], Bs[TILE][TILE];
    const int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * TILE + ty, left = blockIdx.x * TILE * COARSE + tx;
    float sums[COARSE] = {};
    for (int k0 = 0; k0 < K; k0 += TILE) {
        As[ty][tx] = row < M && k0 + tx < K ? A[row * K + k0 + tx] : 0.0f;
        for (int c = 0; c < COARSE; ++c) {
            const int col = left + c * TILE;
            Bs[ty][tx] = k0 + ty < K && col < N ? B[(k0 + ty) * N + col] : 0.0f;
            __syncthreads();
            for (int k = 0; k < TILE; ++k) sums[c] += As[ty][k] * Bs[k][tx];
            __syncthreads();
        }
    }
    for (int c = 0; c < COARSE; ++c)
        if (row < M && left + c * TILE < N) C[row * N + left + c * TILE] = sums[c];
}
