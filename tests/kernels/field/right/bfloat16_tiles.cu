// bug: none - the tiles are bfloat16; small whole numbers are exact
// expect: ok
// diag: no error finding at any shape
// block: 16,16
// grid: cdiv(N,16),cdiv(M,16)
// smem: 0
// inputs: integer
// shape_fail: none
// shape_pass: 33,47,29; 16,16,16
// at_pass: ok
#include <cuda_bf16.h>

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ __nv_bfloat16 As[16][16], Bs[16][16];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    float acc = 0.0f;
    for (int k0 = 0; k0 < K; k0 += 16) {
        As[ty][tx] = __float2bfloat16(row < M && k0 + tx < K ? A[row * K + k0 + tx] : 0.0f);
        Bs[ty][tx] = __float2bfloat16(k0 + ty < K && col < N ? B[(k0 + ty) * N + col] : 0.0f);
        __syncthreads();
        for (int k = 0; k < 16; ++k) acc += __bfloat162float(As[ty][k]) * __bfloat162float(Bs[k][tx]);
        __syncthreads();
    }
    if (row < M && col < N) C[row * N + col] = acc;
}
