// rows: add sub mul div sqrt fma min max abs neg copysign floor ceil trunc rint round isnan isinf signbit finite compare select rcp_rn fma_rz fma_rd fma_ru add_rz add_rd add_ru mul_rz mul_rd mul_ru div_rz div_rd div_ru sqrt_rz sqrt_rd sqrt_ru rcp_rz sub_rz fdim saturate step scale
// shape: 44,512,512
// block: 128
// grid: cdiv(N,128),M
// inputs: floats
// compare: bits
__device__ float compute(int row, float a, float b)
{
    switch (row) {
    case 0: return a + b;
    case 1: return a - b;
    case 2: return __fmul_rn(a, b);
    case 3: return a / b;
    case 4: return sqrtf(a);
    case 5: return __fmaf_rn(a, b, 0.3f);
    case 6: return fminf(a, b);
    case 7: return fmaxf(a, b);
    case 8: return fabsf(a);
    case 9: return -a;
    case 10: return copysignf(a, b);
    case 11: return floorf(a);
    case 12: return ceilf(a);
    case 13: return truncf(a);
    case 14: return rintf(a);
    case 15: return roundf(a);
    case 16: return isnan(a);
    case 17: return isinf(a);
    case 18: return signbit(a) ? 1 : 0;
    case 19: return isfinite(a);
    case 20: return (a < b) + 2 * (a <= b) + 4 * (a == b) + 8 * (a != b) + 16 * (a > b) + 32 * !(a >= b);
    case 21: return a < b ? a : b;
    case 22: return __frcp_rn(a);
    case 23: return __fmaf_rz(a, b, 0.3f);
    case 24: return __fmaf_rd(a, b, 0.3f);
    case 25: return __fmaf_ru(a, b, 0.3f);
    case 26: return __fadd_rz(a, b);
    case 27: return __fadd_rd(a, b);
    case 28: return __fadd_ru(a, b);
    case 29: return __fmul_rz(a, b);
    case 30: return __fmul_rd(a, b);
    case 31: return __fmul_ru(a, b);
    case 32: return __fdiv_rz(a, b);
    case 33: return __fdiv_rd(a, b);
    case 34: return __fdiv_ru(a, b);
    case 35: return __fsqrt_rz(a);
    case 36: return __fsqrt_rd(a);
    case 37: return __fsqrt_ru(a);
    case 38: return __frcp_rz(a);
    case 39: return __fsub_rz(a, b);
    case 40: return fdimf(a, b);
    case 41: return __saturatef(a);
    case 42: return nextafterf(a, b);
    default: return ldexpf(a, (int)fminf(fmaxf(b, -40.f), 40.f));
    }
}

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    int row = blockIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < M && col < N) C[row * N + col] = compute(row, A[col], B[col]);
}
