// run: --launcher run_kernel_2
// expect: passed
// A number chooses the kernel, as in a program that compares several.
#include <stdexcept>
#define cdiv(x, y) (((x) + (y) - 1) / (y))
__global__ void naive(int M, int N, int K, float* A, float* B, float* C) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < M && y < N) {
        float tmp = 0.;
        for (int i = 0; i < K; ++i) tmp += A[x * K + i] * B[i * N + y];
        C[x * N + y] = tmp;
    }
}
template <int BS> __global__ void coalesced(int M, int N, int K, float* A, float* B, float* C) {
    int x = blockIdx.x * BS + threadIdx.x / BS, y = blockIdx.y * BS + threadIdx.x % BS;
    if (x < M && y < N) {
        float tmp = 0.;
        for (int i = 0; i < K; ++i) tmp += A[x * K + i] * B[i * N + y];
        C[x * N + y] = tmp;
    }
}
static void run_naive(int M, int N, int K, float* A, float* B, float* C) {
    naive<<<dim3(cdiv(M, 32), cdiv(N, 32)), dim3(32, 32)>>>(M, N, K, A, B, C);
}
static void run_coalesced(int M, int N, int K, float* A, float* B, float* C) {
    coalesced<32><<<dim3(cdiv(M, 32), cdiv(N, 32)), 32 * 32>>>(M, N, K, A, B, C);
}
void run_kernel(int kernel_num, int M, int N, int K, float* A, float* B, float* C) {
    switch (kernel_num) {
    case 1: run_naive(M, N, K, A, B, C); break;
    case 2: run_coalesced(M, N, K, A, B, C); break;
    default: throw std::invalid_argument("Unknown kernel number");
    }
}
void run_kernel_2(float* A, float* B, float* C, int M, int N, int K) { run_kernel(2, M, N, K, A, B, C); }
