// bug: none - __ldg, __restrict__ and const pointers that move along
// expect: ok
// diag: no error finding at any shape
// block: 16,16
// grid: cdiv(N,16),cdiv(M,16)
// smem: 0
// shape_fail: none
// shape_pass: 33,47,29; 16,16,16
// at_pass: ok
extern "C" __global__ __launch_bounds__(256) void gemm(
    const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N, int K)
{
    const int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    if (row < M && col < N) {
        const float* a = A + row * K;
        const float* b = B + col;
        float acc = 0.0f;
        for (const float* const end = a + K; a != end; ++a, b += N) acc = __fmaf_rn(__ldg(a), __ldg(b), acc);
        C[row * N + col] = acc;
    }
}
