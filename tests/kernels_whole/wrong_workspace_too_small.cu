// launcher: solve
// expect: out_of_bounds
#include <cuda_runtime.h>

__global__ void partial_sums(const float* A, const float* B, float* partial, int M, int N, int K, int splits) {
    const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y, split = blockIdx.z;
    if (col >= N) return;
    float acc = 0.0f;
    for (int k = split; k < K; k += splits) acc += A[row * K + k] * B[k * N + col];
    partial[(split * M + row) * N + col] = acc;
}

__global__ void reduce(const float* partial, float* C, int elements, int splits) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= elements) return;
    float sum = 0.0f;
    for (int split = 0; split < splits; ++split) sum += partial[split * elements + i];
    C[i] = sum;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    const int splits = 3;
    float* partial = nullptr;
    cudaMalloc(&partial, sizeof(float) * M * N);
    partial_sums<<<dim3((N + 63) / 64, M, splits), 64>>>(A, B, partial, M, N, K, splits);
    reduce<<<(M * N + 127) / 128, 128>>>(partial, C, M * N, splits);
    cudaFree(partial);
}
