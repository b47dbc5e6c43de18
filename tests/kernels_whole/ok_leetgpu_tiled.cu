// launcher: solve  layout: leetgpu
// expect: passed
#include <cuda_runtime.h>
#define TILE_WIDTH 16
#define CEIL_DIV(a, b) (((a) + (b) - 1) / (b))

__global__ void matmul(const float* A, const float* B, float* C, int M, int N, int K) {
    __shared__ float As[TILE_WIDTH][TILE_WIDTH];
    __shared__ float Bs[TILE_WIDTH][TILE_WIDTH];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * TILE_WIDTH + ty, col = blockIdx.x * TILE_WIDTH + tx;
    float acc = 0.0f;
    for (int t = 0; t < CEIL_DIV(N, TILE_WIDTH); ++t) {
        const int a = t * TILE_WIDTH + tx, b = t * TILE_WIDTH + ty;
        As[ty][tx] = row < M && a < N ? A[row * N + a] : 0.0f;
        Bs[ty][tx] = b < N && col < K ? B[b * K + col] : 0.0f;
        __syncthreads();
        for (int i = 0; i < TILE_WIDTH; ++i) acc += As[ty][i] * Bs[i][tx];
        __syncthreads();
    }
    if (row < M && col < K) C[row * K + col] = acc;
}

// note: A, B, C live on the GPU
extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    dim3 threads(TILE_WIDTH, TILE_WIDTH);
    dim3 blocks(CEIL_DIV(K, TILE_WIDTH), CEIL_DIV(M, TILE_WIDTH));
    matmul<<<blocks, threads>>>(A, B, C, M, N, K);
    cudaDeviceSynchronize();
}
