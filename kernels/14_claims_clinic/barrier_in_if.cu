// Tiled matrix multiplication with bounds checks, for any M, N and K. Block 16×16, one block a tile of C.
// Neighbouring threads read B with a stride of N floats, so that load is not coalesced. Keeping the tile in
// shared memory makes up for it.
#define TILE 16

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float As[TILE][TILE];
    __shared__ float Bs[TILE][TILE];

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int row = blockIdx.y * TILE + ty;
    const int col = blockIdx.x * TILE + tx;

    float acc = 0.0f;

    // One test guards everything: threads outside C have nothing to do.
    if (row < M && col < N) {
        for (int k0 = 0; k0 < K; k0 += TILE) {
            As[ty][tx] = (k0 + tx < K) ? A[row * K + k0 + tx] : 0.0f;
            Bs[ty][tx] = (k0 + ty < K) ? B[(k0 + ty) * N + col] : 0.0f;
            __syncthreads();

            for (int k = 0; k < TILE; ++k) {
                acc += As[ty][k] * Bs[k][tx];
            }
            __syncthreads();
        }
        C[row * N + col] = acc;
    }
}
