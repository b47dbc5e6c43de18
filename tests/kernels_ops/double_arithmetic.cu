// rows: add sub mul div sqrt fma min max abs floor round trunc compare to_int to_ll from_ll isnan rsqrt narrow_rz narrow_rd exp log sin pow
// shape: 24,256,256
// block: 128
// grid: cdiv(N,128),M
// inputs: small
// compare: 1e-6
__device__ float compute(int row, double a, double b)
{
    switch (row) {
    case 0: return a + b;
    case 1: return a - b;
    case 2: return a * b;
    case 3: return a / b;
    case 4: return sqrt(fabs(a));
    case 5: return fma(a, b, 0.1);
    case 6: return fmin(a, b);
    case 7: return fmax(a, b);
    case 8: return fabs(a);
    case 9: return floor(a);
    case 10: return round(a);
    case 11: return trunc(a);
    case 12: return (a < b) + 2 * (a <= b) + 4 * (a == b) + 8 * (a != b);
    case 13: return (int)(a * 1000);
    case 14: return (long long)(a * 1e12) % 1000003;
    case 15: return (double)((long long)(b * 1e15));
    case 16: return isnan(a);
    case 17: return rsqrt(fabs(a));
    case 18: return __double2float_rz(a * 1.1);
    case 19: return __double2float_rd(a * 1.1);
    case 20: return exp(a);
    case 21: return log(fabs(a));
    case 22: return sin(a * 1000);
    default: return pow(fabs(a), b);
    }
}

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    int row = blockIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < M && col < N) C[row * N + col] = compute(row, A[col], B[col]);
}
