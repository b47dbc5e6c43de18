// expect: counter
// says: had little or no part in it; tensor instructions make 0 % of the multiply-adds
// No tensor core at all: each thread has elements of C, and reads its row of A and its column of B.
#include <cuda_fp16.h>
#define SIDE 64

extern "C" __global__ void gemm(const __half* A, const __half* B, float* C, int M, int N, int K)
{
    for (int i = threadIdx.x; i < SIDE * SIDE; i += blockDim.x) {
        const int row = blockIdx.y * SIDE + i / SIDE;
        const int col = blockIdx.x * SIDE + i % SIDE;
        if (row < M && col < N) {
            float acc = 0.0f;
            for (int k = 0; k < K; ++k) {
                acc += __half2float(A[row * K + k]) * __half2float(B[k * N + col]);
            }
            C[row * N + col] = acc;
        }
    }
}
