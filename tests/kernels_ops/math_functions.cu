// rows: exp exp2 exp10 expm1 log log2 log10 log1p sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh pow cbrt hypot erf erfc fmod remainder tgamma lgamma rsqrt sincos sinpi normcdf erfinv powi exp_double rcbrt
// shape: 38,256,256
// block: 128
// grid: cdiv(N,128),M
// inputs: small
// compare: 2e-5
__device__ float compute(int row, float a, float b)
{
    float s, c;
    switch (row) {
    case 0: return expf(a);
    case 1: return exp2f(a);
    case 2: return exp10f(a);
    case 3: return expm1f(a);
    case 4: return logf(fabsf(a) + 0.1f);
    case 5: return log2f(fabsf(a) + 0.1f);
    case 6: return log10f(fabsf(a) + 0.1f);
    case 7: return log1pf(fabsf(a));
    case 8: return sinf(a * 20000.f);
    case 9: return cosf(a * 100.f);
    case 10: return tanf(a);
    case 11: return asinf(a / 8);
    case 12: return acosf(a / 8);
    case 13: return atanf(a);
    case 14: return atan2f(a, b);
    case 15: return sinhf(a);
    case 16: return coshf(a);
    case 17: return tanhf(a);
    case 18: return asinhf(a);
    case 19: return acoshf(fabsf(a) + 1);
    case 20: return atanhf(a / 8);
    case 21: return powf(fabsf(a) + 0.01f, b);
    case 22: return cbrtf(a);
    case 23: return hypotf(a, b);
    case 24: return erff(a);
    case 25: return erfcf(a);
    case 26: return fmodf(a, b);
    case 27: return remainderf(a * 8, 3.25f);
    case 28: return tgammaf(fabsf(a) + 0.5f);
    case 29: return lgammaf(fabsf(a) + 3.f);
    case 30: return rsqrtf(fabsf(a) + 0.1f);
    case 31: sincosf(a, &s, &c); return s + 2 * c;
    case 32: return sinpif(a);
    case 33: return normcdff(a);
    case 34: return erfinvf(a / 8);
    case 35: return powf(a, 3);
    case 36: return (float)exp((double)a);
    default: return rcbrtf(fabsf(a) + 0.1f);
    }
}

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    int row = blockIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < M && col < N) C[row * N + col] = compute(row, A[col], B[col]);
}
