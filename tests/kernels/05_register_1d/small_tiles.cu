// expect: counter
// says: does not come from tiles of 64×64; there are 0.125 floats read from global memory for each multiply-add
// The kernel of lesson 04, made to fit the launch: the block does 16 tiles of 16×16, one after the other.
#define TILE 16
#define SIDE 64

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float As[TILE][TILE];
    __shared__ float Bs[TILE][TILE];
    const int tid = threadIdx.y * blockDim.x + threadIdx.x;
    const int tx = tid % TILE;
    const int ty = tid / TILE;
    for (int tile = 0; tile < (SIDE / TILE) * (SIDE / TILE); ++tile) {
        const int row = blockIdx.y * SIDE + tile / (SIDE / TILE) * TILE + ty;
        const int col = blockIdx.x * SIDE + tile % (SIDE / TILE) * TILE + tx;
        float acc = 0.0f;
        for (int k0 = 0; k0 < K; k0 += TILE) {
            As[ty][tx] = (row < M && k0 + tx < K) ? A[row * K + (k0 + tx)] : 0.0f;
            Bs[ty][tx] = (k0 + ty < K && col < N) ? B[(k0 + ty) * N + col] : 0.0f;
            __syncthreads();
            for (int k = 0; k < TILE; ++k) {
                acc += As[ty][k] * Bs[k][tx];
            }
            __syncthreads();
        }
        if (row < M && col < N) {
            C[row * N + col] = acc;
        }
    }
}
