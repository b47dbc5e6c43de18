// launcher: matmul
// expect: passed
// The arrays come from the host and are copied to the GPU and back.
#include <cuda_runtime.h>
#include <stdio.h>

__global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K) {
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= M || col >= N) return;
    float acc = 0.0f;
    for (int k = 0; k < K; ++k) acc += A[row * K + k] * B[k * N + col];
    C[row * N + col] = acc;
}

void matmul(const float *A, const float *B, float *C, int M, int N, int K)
{
    float *d_A, *d_B, *d_C;
    size_t size_A = M * K * sizeof(float);
    size_t size_B = K * N * sizeof(float);
    size_t size_C = M * N * sizeof(float);
    cudaMalloc((void **)&d_A, size_A);
    cudaMalloc((void **)&d_B, size_B);
    cudaMalloc((void **)&d_C, size_C);
    cudaMemcpy(d_A, A, size_A, cudaMemcpyHostToDevice);
    cudaMemcpy(d_B, B, size_B, cudaMemcpyHostToDevice);

    dim3 dimBlock(16, 16, 1);
    dim3 dimGrid(ceil(N / 16.0), ceil((float)M / dimBlock.y), 1);
    gemm<<<dimGrid, dimBlock>>>(d_A, d_B, d_C, M, N, K);
    cudaError_t err = cudaGetLastError();
    if (err != cudaSuccess)
        printf("error: %s\n", cudaGetErrorString(err));

    cudaMemcpy(C, d_C, size_C, cudaMemcpyDeviceToHost);
    cudaFree(d_A); cudaFree(d_B); cudaFree(d_C);
}
