// launcher: solve
// expect: passed
#include <cuda_runtime.h>
#include <stdexcept>
#include <iostream>

enum Limits { THREADS = 128, WARP = 32 };
static const int per_thread = 2;

__global__ void __launch_bounds__(THREADS) gemm(float* C, const float* A, const float* B, unsigned total, int N, int K) {
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < total; i += gridDim.x * blockDim.x) {
        float acc = 0.0f;
        for (int k = 0; k < K; ++k) acc += A[i / N * K + k] * B[k * N + i % N];
        C[i] = acc;
    }
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    if (A == nullptr || B == nullptr || !C) throw std::invalid_argument("null");
    if (M <= 0 || N <= 0 || K <= 0) {
        std::cerr << "nothing to do: " << M << std::endl;
        return;
    }
    const auto total = static_cast<unsigned>(M) * N;
    auto kernel = &gemm;
    int blocks = (total + THREADS * per_thread - 1) / (THREADS * per_thread);
    kernel<<<blocks, THREADS>>>(C, A, B, total, N, K);
    if (cudaPeekAtLastError() != cudaSuccess || cudaDeviceSynchronize() != cudaSuccess) abort();
}
