// run: --launcher dispatch --args "3,0,M,N,K,1.0,A,B,0.0,C=0"
// expect: passed
// A handle of cuBLAS is passed along; only the first branch would use it. 0 stands for it.
#include <cublas_v2.h>
#define TILES(size, tile) ((size) + (tile) - 1) / (tile)
template <const int TILE>
__global__ void tiled(int M, int N, int K, float alpha, float* A, float* B, float beta, float* C) {
    __shared__ float As[TILE * TILE], Bs[TILE * TILE];
    int tx = threadIdx.x % TILE, ty = threadIdx.x / TILE, row = blockIdx.x * TILE + ty, col = blockIdx.y * TILE + tx;
    float acc = 0.;
    for (int k0 = 0; k0 < K; k0 += TILE) {
        As[ty * TILE + tx] = row < M && k0 + tx < K ? A[row * K + k0 + tx] : 0.f;
        Bs[ty * TILE + tx] = k0 + ty < K && col < N ? B[(k0 + ty) * N + col] : 0.f;
        __syncthreads();
        for (int k = 0; k < TILE; ++k) acc += As[ty * TILE + k] * Bs[k * TILE + tx];
        __syncthreads();
    }
    if (row < M && col < N) C[row * N + col] = alpha * acc + beta * C[row * N + col];
}
void dispatch(int number, cublasHandle_t blas, int M, int N, int K, float alpha, float* A, float* B, float beta, float* C) {
    if (number == 0) {
        cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, N, M, K, &alpha, B, N, A, K, &beta, C, N);
    } else if (number == 3) {
        cudaFuncSetAttribute(tiled<16>, cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutMaxShared);
        tiled<16><<<dim3(TILES(M, 16), TILES(N, 16)), 16 * 16>>>(M, N, K, alpha, A, B, beta, C);
    }
}
