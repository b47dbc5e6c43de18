// expect: race
// says: may not have written it yet
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
            Bs[ty][tx] = (k0 + ty < K && n < N) ? B[(k0 + ty) * N + n] : 0.0f;
            __syncthreads();
            if (c == 0) As[ty][tx] = (row < M && k0 + tx < K) ? A[row * K + (k0 + tx)] : 0.0f;

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
