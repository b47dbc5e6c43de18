// expect: passed
// says: 
#define TILE 16

__shared__ float As[2][TILE][TILE];
__shared__ float Bs[2][TILE][TILE];

__device__ void load(int buffer, int k0, const float* A, const float* B, int M, int N, int K)
{
    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int row = blockIdx.y * TILE + ty;
    const int col = blockIdx.x * TILE + tx;
    As[buffer][ty][tx] = (row < M && k0 + tx < K) ? A[row * K + k0 + tx] : 0.0f;
    Bs[buffer][ty][tx] = (k0 + ty < K && col < N) ? B[(k0 + ty) * N + col] : 0.0f;
}

__device__ float multiply(int buffer, float acc)
{
    for (int k = 0; k < TILE; ++k) {
        acc += As[buffer][threadIdx.y][k] * Bs[buffer][k][threadIdx.x];
    }
    return acc;
}

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int row = blockIdx.y * TILE + threadIdx.y;
    const int col = blockIdx.x * TILE + threadIdx.x;
    const int tiles = (K + TILE - 1) / TILE;

    float acc = 0.0f;
    load(0, 0, A, B, M, N, K);
    __syncthreads();

    int buffer = 0;
    for (int t = 0; t + 1 < tiles; ++t) {
        load((t + 1) % 2, (t + 1) * TILE, A, B, M, N, K);
        acc = multiply(t % 2, acc);
        __syncthreads();
        buffer = 1 - buffer;
    }
    // The last pair of tiles lies in the buffer of its number.
    acc = multiply(buffer, acc);

    if (row < M && col < N) {
        C[row * N + col] = acc;
    }
}
