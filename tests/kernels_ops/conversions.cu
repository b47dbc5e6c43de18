// rows: int rn rd ru uint ll ull short ushort char uchar from_int from_uint from_ll from_ull i2f_rz i2f_rd i2f_ru half half_rz half_rd half_ru from_half bf16 bf16_rz half_int half_short from_short bool double narrow ll_rz
// shape: 32,512,512
// block: 128
// grid: cdiv(N,128),M
// inputs: floats
// compare: bits
#include <cuda_bf16.h>
#include <cuda_fp16.h>

__device__ float low_and_high(long long x) { return __int_as_float((int)(x ^ (x >> 32))); }

__device__ float bounded(float x, float limit) { return fminf(fmaxf(x, -limit), limit); }

__device__ float compute(int row, float a, float b)
{
    int i = __float_as_int(a);
    long long wide = (long long)i << 24 ^ __float_as_int(b);
    switch (row) {
    case 0: return __int_as_float(__float2int_rz(a));
    case 1: return __int_as_float(__float2int_rn(a));
    case 2: return __int_as_float(__float2int_rd(a));
    case 3: return __int_as_float(__float2int_ru(a));
    case 4: return __int_as_float(__float2uint_rn(a));
    case 5: return low_and_high(__float2ll_rn(a));
    case 6: return low_and_high(__float2ull_rz(a));
    case 7: return __int_as_float((short)bounded(a, 3e4f));
    case 8: return __int_as_float((unsigned short)fminf(fabsf(a), 6e4f));
    case 9: return __int_as_float((signed char)bounded(a, 127.f));
    case 10: return __int_as_float((unsigned char)fminf(fabsf(a), 255.f));
    case 11: return i;
    case 12: return (unsigned)i;
    case 13: return wide;
    case 14: return (unsigned long long)wide;
    case 15: return __int2float_rz(i);
    case 16: return __int2float_rd(i);
    case 17: return __uint2float_ru(i);
    case 18: return __int_as_float(__half_as_ushort(__float2half_rn(a)));
    case 19: return __int_as_float(__half_as_ushort(__float2half_rz(a)));
    case 20: return __int_as_float(__half_as_ushort(__float2half_rd(a)));
    case 21: return __int_as_float(__half_as_ushort(__float2half_ru(a)));
    case 22: return __half2float(__ushort_as_half((unsigned short)i));
    case 23: return __int_as_float(__bfloat16_as_ushort(__float2bfloat16_rn(a)));
    case 24: return __int_as_float(__bfloat16_as_ushort(__float2bfloat16_rz(a)));
    case 25: return __int_as_float(__half2int_rn(__ushort_as_half((unsigned short)i)));
    case 26: return __int_as_float(__half2short_rz(__ushort_as_half((unsigned short)i)));
    case 27: return __int_as_float(__half_as_ushort(__short2half_rn((short)i)));
    case 28: return a ? 1.f : (bool)(i & 1);
    case 29: return (float)((double)a * 1.0000001);
    case 30: return (float)(int)(short)i + (float)(signed char)i + (float)(unsigned char)(i >> 8);
    default: return __ll2float_rz(wide);
    }
}

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    int row = blockIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < M && col < N) C[row * N + col] = compute(row, A[col], B[col]);
}
