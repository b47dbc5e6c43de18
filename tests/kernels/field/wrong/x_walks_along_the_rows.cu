// bug: blockIdx.x is taken for the row, threadIdx.y too; the grid is made for the usual way
// expect: wrong-result
// diag: part of C is never written where it is not square
// says: blockIdx.y
// block: 16,16
// grid: cdiv(N,16),cdiv(M,16)
// smem: 0
// shape_fail: 16,64,16
// shape_pass: 32,32,16
// at_pass: ok (square)
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int row = blockIdx.x * 16 + threadIdx.y, col = blockIdx.y * 16 + threadIdx.x;
    if (row >= M || col >= N) return;
    float acc = 0.0f;
    for (int k = 0; k < K; ++k) acc += A[row * K + k] * B[k * N + col];
    C[row * N + col] = acc;
}
