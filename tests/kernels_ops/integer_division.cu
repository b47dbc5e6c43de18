// rows: div rem udiv urem div64 rem64 udiv64 urem64 div7 rem7 udiv10 urem10 div_pow2 rem_pow2 div_s16 rem_u8
// shape: 16,512,512
// block: 128
// grid: cdiv(N,128),M
// inputs: bits
// compare: bits
__device__ int low_and_high(long long x) { return (int)(x ^ (x >> 32)); }

__device__ int compute(int row, int a, int b)
{
    unsigned ua = a, ub = b ? b : 3;
    int sb = (b == 0 || b == -1) ? 5 : b;  // INT_MIN / -1 and x / 0 are undefined in C++
    long long wide_a = (long long)a << 20 | (ub & 0xfffff);
    switch (row) {
    case 0: return a / sb;
    case 1: return a % sb;
    case 2: return ua / ub;
    case 3: return ua % ub;
    case 4: return low_and_high(wide_a / sb);
    case 5: return low_and_high(wide_a % sb);
    case 6: return low_and_high((unsigned long long)wide_a / ub);
    case 7: return low_and_high((unsigned long long)wide_a % ub);
    case 8: return a / 7;
    case 9: return a % 7;
    case 10: return ua / 10;
    case 11: return ua % 10;
    case 12: return a / 16;
    case 13: return a % 16;
    case 14: return (short)a / ((short)b ? (short)b : (short)9);
    default: return (unsigned char)a % ((unsigned char)b ? (unsigned char)b : 9);
    }
}

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    int row = blockIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < M && col < N)
        C[row * N + col] = __int_as_float(compute(row, __float_as_int(A[col]), __float_as_int(B[col])));
}
