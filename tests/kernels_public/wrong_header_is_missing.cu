// run: --launcher sgemm
// expect: compile_error | no_such_file.cuh
// What the kernel needs is declared in a file that is not here.
#include "no_such_file.cuh"

__global__ void sgemm_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
    const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    float acc = 0.0f;
    for (int k = 0; k < K; ++k) acc += fetch(A, row, k, K) * fetch(B, k, col, N);
    if (row < M && col < N) C[row * N + col] = acc;
}

void sgemm(const float* A, const float* B, float* C, int M, int N, int K) {
    sgemm_kernel<<<dim3((N + 15) / 16, (M + 15) / 16), dim3(16, 16)>>>(A, B, C, M, N, K);
}
