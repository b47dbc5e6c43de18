// launcher: solve
// expect: out_of_bounds
#include <cuda_runtime.h>

extern __shared__ float tiles[];

__global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K, int T) {
    float* As = tiles;
    float* Bs = tiles + T * T;
    const int row = blockIdx.y * T + threadIdx.y, col = blockIdx.x * T + threadIdx.x;
    float acc = 0.0f;
    for (int k0 = 0; k0 < K; k0 += T) {
        for (int i = threadIdx.y; i < T; i += blockDim.y) {
            const int r = blockIdx.y * T + i, a = k0 + threadIdx.x, b = k0 + i;
            As[i * T + threadIdx.x] = r < M && a < K ? A[r * K + a] : 0.0f;
            Bs[i * T + threadIdx.x] = b < K && col < N ? B[b * N + col] : 0.0f;
        }
        __syncthreads();
        for (int k = 0; k < T; ++k) acc += As[threadIdx.y * T + k] * Bs[k * T + threadIdx.x];
        __syncthreads();
    }
    if (row < M && col < N) C[row * N + col] = acc;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    const int T = 16;
    gemm<<<dim3((N + T - 1) / T, (M + T - 1) / T), dim3(T, T), T * T * sizeof(float)>>>(A, B, C, M, N, K, T);
}
