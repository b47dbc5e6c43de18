// Thread coarsening: four columns of C a thread, 16 apart. Block 16×16, one block a 16×64 tile of C.
// The naive kernel must read 4096³ floats from memory at M = N = K = 4096, 275 GB. Tiles make it a
// sixteenth, and coarsening reads each element of A once for four columns.
#define TILE 16
#define COARSE 4

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float As[TILE][TILE];
    __shared__ float Bs[TILE][TILE];

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int row = blockIdx.y * TILE + ty;
    const int col = blockIdx.x * COARSE * TILE + tx;

    float acc[COARSE] = {};

    for (int k0 = 0; k0 < K; k0 += TILE) {
        for (int c = 0; c < COARSE; ++c) {
            const int n = col + c * TILE;
            As[ty][tx] = (row < M && k0 + tx < K) ? A[(k0 + tx) * M + row] : 0.0f;
            Bs[ty][tx] = (k0 + ty < K && n < N) ? B[(k0 + ty) * N + n] : 0.0f;
            __syncthreads();

            for (int k = 0; k < TILE; ++k) {
                acc[c] += As[ty][k] * Bs[k][tx];
            }
            __syncthreads();
        }
    }

    for (int c = 0; c < COARSE; ++c) {
        const int n = col + c * TILE;
        if (row < M && n < N) {
            C[row * N + n] = acc[c];
        }
    }
}
