// launcher: solve
// expect: passed
#include <cuda_runtime.h>

__global__ void accumulate(const float* A, int lda, const float* B, int ldb, float* C, int M, int N, int depth) {
    const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
    if (col >= N) return;
    float acc = C[row * ldb + col];
    for (int k = 0; k < depth; ++k) acc += A[row * lda + k] * B[k * ldb + col];
    C[row * ldb + col] = acc;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    const int step = 16;
    cudaMemset(C, 0, M * N * sizeof(float));
    for (int k = 0; k < K; k += step) {
        int depth = K - k < step ? K - k : step;
        accumulate<<<dim3((N + 31) / 32, M), 32>>>(A + k, K, B + (size_t)k * N, N, C, M, N, depth);
    }
}
