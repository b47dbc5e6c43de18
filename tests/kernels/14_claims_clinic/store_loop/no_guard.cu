// expect: out_of_bounds
// says: beyond its end: C is
#ifndef TILE
#define TILE 16
#endif
#define TM 4

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float As[TM * TILE][TILE];
    __shared__ float Bs[TILE][TILE];

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int row = blockIdx.y * TM * TILE + ty;
    const int col = blockIdx.x * TILE + tx;

    float acc[TM] = {};

    for (int k0 = 0; k0 < K; k0 += TILE) {
        for (int m = 0; m < TM; ++m) {
            const int r = row + m * TILE;
            As[ty + m * TILE][tx] = (r < M && k0 + tx < K) ? A[r * K + k0 + tx] : 0.0f;
        }
        Bs[ty][tx] = (k0 + ty < K && col < N) ? B[(k0 + ty) * N + col] : 0.0f;
        __syncthreads();

        for (int k = 0; k < TILE; ++k) {
            const float b = Bs[k][tx];
            for (int m = 0; m < TM; ++m) {
                acc[m] += As[ty + m * TILE][k] * b;
            }
        }
        __syncthreads();
    }

    // The last rows may lie outside C: leave the loop there.
    for (int m = 0; m < TM; ++m) {
        const int r = row + m * TILE;
        if (col < N) {
            C[r * N + col] = acc[m];
        }
    }
}
