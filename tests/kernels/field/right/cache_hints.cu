// bug: none - loads and stores with cache hints, a loop the compiler is told about
// expect: ok
// diag: no error finding at any shape
// block: 16,16
// grid: cdiv(N,16),cdiv(M,16)
// smem: 0
// shape_fail: none
// shape_pass: 17,19,29; 16,16,16
// at_pass: ok
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    if (row >= M || col >= N) return;
    __builtin_assume(K > 0);
    float acc = 0.0f;
#pragma unroll 4
    for (int k = 0; k < K; ++k) acc += __ldcg(A + row * K + k) * __ldcs(B + k * N + col);
    __stcs(C + row * N + col, acc);
}
