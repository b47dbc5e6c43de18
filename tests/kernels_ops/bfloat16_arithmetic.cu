// rows: add sub mul div fma neg abs max min compare add2 mul2 fma2 compare2 max2 nan_max rint exp log int pack relu
// shape: 22,512,512
// block: 128
// grid: cdiv(N,128),M
// inputs: halves
// compare: 2e-2
#include <cuda_bf16.h>

__device__ float both(__nv_bfloat162 x)
{
    float2 f = __bfloat1622float2(x);
    return f.x + 3 * f.y;
}

__device__ float compute(int row, __nv_bfloat16 a, __nv_bfloat16 b)
{
    __nv_bfloat162 x = __halves2bfloat162(a, b), y = __halves2bfloat162(b, __float2bfloat16(0.75f));
    switch (row) {
    case 0: return a + b;
    case 1: return a - b;
    case 2: return a * b;
    case 3: return a / b;
    case 4: return __hfma(a, b, __float2bfloat16(0.3f));
    case 5: return -a;
    case 6: return __habs(a);
    case 7: return __hmax(a, b);
    case 8: return __hmin(a, b);
    case 9: return (a < b) + 2 * (a <= b) + 4 * (a == b) + 8 * (a != b);
    case 10: return both(x + y);
    case 11: return both(x * y);
    case 12: return both(__hfma2(x, y, x));
    case 13: return both(__hlt2(x, y));
    case 14: return both(__hmax2(x, y));
    case 15: return __hmax_nan(a, b);
    case 16: return hrint(a);
    case 17: return hexp(__hmin(a, __float2bfloat16(8.f)));
    case 18: return hlog(__habs(a));
    case 19: return __bfloat162int_rz(a);
    case 20: return both(__floats2bfloat162_rn(__bfloat162float(a) * 1.1f, __bfloat162float(b)));
    default: return __hfma_relu(a, b, a);
    }
}

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    int row = blockIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < M && col < N) C[row * N + col] = compute(row, __float2bfloat16(A[col]), __float2bfloat16(B[col]));
}
