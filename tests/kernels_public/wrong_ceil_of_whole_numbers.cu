// run: --launcher solve
// expect: launch_error | 'ceil(M / 16)'
// ceil comes too late: the division of two ints has cut the rest off already.
#include <cmath>
__global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K) {
    int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    if (row >= M || col >= N) return;
    float sum = 0.f;
    for (int k = 0; k < K; k++) sum += A[row * K + k] * B[k * N + col];
    C[row * N + col] = sum;
}

void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    gemm<<<dim3(ceil(N / 16), ceil(M / 16)), dim3(16, 16)>>>(A, B, C, M, N, K);
}
