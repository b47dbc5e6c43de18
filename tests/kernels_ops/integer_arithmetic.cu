// rows: add sub mul neg abs min max umin umax mulhi umulhi mul24 umul24 sad usad hadd rhadd uhadd mul_s16 add_u8 sub_s8 wide uwide mul64 mul64hi umul64hi abs64 mad madwide
// shape: 29,512,512
// block: 128
// grid: cdiv(N,128),M
// inputs: bits
// compare: bits
__device__ int low_and_high(long long x) { return (int)(x ^ (x >> 32)); }

__device__ int compute(int row, int a, int b)
{
    unsigned ua = a, ub = b;
    long long wide_a = (long long)a << 20 | (ub & 0xfffff), wide_b = (long long)b << 17 ^ ua;
    switch (row) {
    case 0: return ua + ub;
    case 1: return ua - ub;
    case 2: return ua * ub;
    case 3: return -ua;
    case 4: return abs(a);
    case 5: return min(a, b);
    case 6: return max(a, b);
    case 7: return min(ua, ub);
    case 8: return max(ua, ub);
    case 9: return __mulhi(a, b);
    case 10: return __umulhi(ua, ub);
    case 11: return __mul24(a, b);
    case 12: return __umul24(ua, ub);
    case 13: return __sad(a, b, 7u);
    case 14: return __usad(ua, ub, 7u);
    case 15: return __hadd(a, b);
    case 16: return __rhadd(a, b);
    case 17: return __uhadd(ua, ub);
    case 18: return (short)a * (short)b;
    case 19: return (unsigned char)((unsigned char)a + (unsigned char)b);
    case 20: return (signed char)((signed char)a - (signed char)b);
    case 21: return low_and_high((long long)a * b);
    case 22: return low_and_high((unsigned long long)ua * ub);
    case 23: return low_and_high(wide_a * wide_b);
    case 24: return low_and_high(__mul64hi(wide_a, wide_b));
    case 25: return low_and_high(__umul64hi(wide_a, wide_b));
    case 26: return low_and_high(llabs(wide_a));
    case 27: return a * b + (int)(ua >> 3);
    default: return low_and_high((long long)a * b + wide_a);
    }
}

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    int row = blockIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < M && col < N)
        C[row * N + col] = __int_as_float(compute(row, __float_as_int(A[col]), __float_as_int(B[col])));
}
