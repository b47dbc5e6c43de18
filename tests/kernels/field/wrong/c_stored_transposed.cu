// bug: the result is stored with row and column changed over
// expect: wrong-result
// diag: C[col * M + row] in place of C[row * N + col]
// says: transpose
// block: 16,16
// grid: cdiv(N,16),cdiv(M,16)
// smem: 0
// shape_fail: 32,32,32; 20,24,28
// shape_pass: 1,16,16
// at_pass: ok (C is one row)
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    if (row >= M || col >= N) return;
    float acc = 0.0f;
    for (int k = 0; k < K; ++k) acc += A[row * K + k] * B[k * N + col];
    C[col * M + row] = acc;
}
