// bug: the factor is set in one case only; the optimiser takes that case for granted
// expect: wrong-result
// diag: an unset variable, seen only where nothing is optimised away
// says: never set
// block: 16,16
// grid: cdiv(N,16),cdiv(M,16)
// smem: 0
// shape_fail: 16,16,16
// shape_pass: 16,16,15
// at_pass: wrong-result (the other look runs at the same shape)
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    if (row >= M || col >= N) return;
    float factor;
    if (M < 0) factor = 1.0f;
    float acc = 0.0f;
    for (int k = 0; k < K; ++k) acc += A[row * K + k] * B[k * N + col];
    C[row * N + col] = acc * factor;
}
