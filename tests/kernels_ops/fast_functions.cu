// rows: expf logf log2f log10f sinf cosf tanf powf fdividef frcp fsqrt frsqrt exp10f tanhf divide sqrt silu gelu
// shape: 18,256,256
// block: 128
// grid: cdiv(N,128),M
// inputs: small
// compare: 1e-5
__device__ float compute(int row, float a, float b)
{
    float positive = fabsf(a) + 0.1f;
    switch (row) {
    case 0: return __expf(a);
    case 1: return __logf(positive + 2);
    case 2: return __log2f(positive + 2);
    case 3: return __log10f(positive + 2);
    case 4: return __sinf(a / 4) + 2;
    case 5: return __cosf(a / 4) + 2;
    case 6: return __tanf(a / 8) + 2;
    case 7: return __powf(positive, 1.5f);
    case 8: return __fdividef(a, positive);
    case 9: return __frcp_rn(positive);
    case 10: return __fsqrt_rn(positive);
    case 11: return __frsqrt_rn(positive);
    case 12: return __exp10f(a);
    case 13: return tanhf(a) + 2;
    case 14: return a / positive;
    case 15: return sqrtf(positive);
    case 16: return a / (1 + __expf(-a)) + 1;
    default: return 0.5f * a * (1 + tanhf(0.79788456f * (a + 0.044715f * a * a * a))) + 1;
    }
}

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    int row = blockIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < M && col < N) C[row * N + col] = compute(row, A[col], B[col]);
}
