// bug: none - two threads write the halves of a word, one reads both as __half2 behind the barrier
// expect: ok
// diag: no error finding at any shape
// block: 16,16
// grid: cdiv(N,16),cdiv(M,16)
// smem: 0
// inputs: integer
// shape_fail: none
// shape_pass: 33,47,29; 16,16,16
// at_pass: ok
#include <cuda_fp16.h>

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ __align__(4) __half As[16][16], Bt[16][16 + 2];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    float acc = 0.0f;
    for (int k0 = 0; k0 < K; k0 += 16) {
        As[ty][tx] = row < M && k0 + tx < K ? __float2half(A[row * K + k0 + tx]) : __half(0.0f);
        Bt[tx][ty] = k0 + ty < K && col < N ? __float2half(B[(k0 + ty) * N + col]) : __half(0.0f);
        __syncthreads();
        for (int k = 0; k < 16; k += 2) {
            const float2 a = __half22float2(*reinterpret_cast<const __half2*>(&As[ty][k]));
            const float2 b = __half22float2(*reinterpret_cast<const __half2*>(&Bt[tx][k]));
            acc += a.x * b.x + a.y * b.y;
        }
        __syncthreads();
    }
    if (row < M && col < N) C[row * N + col] = acc;
}
