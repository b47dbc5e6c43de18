// rows: and or xor not shl shr ushr shl64 shr64 ushr64 popc clz ffs brev popcll clzll brevll perm fsl fsr fslc fsrc rotate field ufield insert and_or compare select byte logic
// shape: 31,512,512
// block: 128
// grid: cdiv(N,128),M
// inputs: bits
// compare: bits
struct Fields {
    int low : 7;
    unsigned middle : 11;
    int high : 14;
};

__device__ int low_and_high(long long x) { return (int)(x ^ (x >> 32)); }

__device__ int compute(int row, int a, int b)
{
    unsigned ua = a, ub = b, by = ub & 31;
    long long wide = (long long)a << 32 | ub;
    Fields fields = *reinterpret_cast<Fields*>(&a);
    switch (row) {
    case 0: return a & b;
    case 1: return a | b;
    case 2: return a ^ b;
    case 3: return ~a;
    case 4: return a << by;
    case 5: return a >> by;
    case 6: return ua >> by;
    case 7: return low_and_high(wide << (ub & 63));
    case 8: return low_and_high(wide >> (ub & 63));
    case 9: return low_and_high((unsigned long long)wide >> (ub & 63));
    case 10: return __popc(a);
    case 11: return __clz(a);
    case 12: return __ffs(a);
    case 13: return __brev(a);
    case 14: return __popcll(wide);
    case 15: return __clzll(wide);
    case 16: return low_and_high(__brevll(wide));
    case 17: return __byte_perm(a, b, (ua >> 5) & 0x7777);
    case 18: return __funnelshift_l(a, b, ub >> 3);
    case 19: return __funnelshift_r(a, b, ub >> 3);
    case 20: return __funnelshift_lc(a, b, ub & 63);
    case 21: return __funnelshift_rc(a, b, ub & 63);
    case 22: return ua << 11 | ua >> 21;
    case 23: return fields.low * 3 + fields.high;
    case 24: return fields.middle;
    case 25: fields.middle = b; return *reinterpret_cast<int*>(&fields);
    case 26: return (a & b) | (~a & 0x0f0f0f0f);
    case 27: return (a < b) + 2 * (ua < ub) + 4 * (a == b) + 8 * (a >= b) + 16 * (ua <= ub) + 32 * (a != b);
    case 28: return a > b ? a - b : b ^ a;
    case 29: return (unsigned char)a << 8 | (signed char)b;
    default: return a && !b || (a & 1);
    }
}

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    int row = blockIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < M && col < N)
        C[row * N + col] = __int_as_float(compute(row, __float_as_int(A[col]), __float_as_int(B[col])));
}
