// launcher: solve
// expect: passed
// Two kernels that share a variable of the GPU, and one that scales C in place.
#include <cuda_runtime.h>

__device__ int column_count;

__global__ void prepare(int N) {
    if (threadIdx.x == 0) column_count = N;
}

__global__ void gemm(const float* A, const float* B, float* C, int M, int K) {
    const int N = column_count;
    const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
    if (col >= N) return;
    float acc = 0.0f;
    for (int k = 0; k < K; ++k) acc += A[row * K + k] * B[k * N + col];
    C[row * N + col] = 2.0f * acc;
}

__global__ void scale(float* C, float factor, long long count) {
    const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i < count) C[i] *= factor;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    prepare<<<1, 32>>>(N);
    gemm<<<dim3((N + 31) / 32, M), 32>>>(A, B, C, M, K);
    scale<<<(M * N + 255) / 256, 256>>>(C, 1 / 2.0, (long long)M * N);
}
