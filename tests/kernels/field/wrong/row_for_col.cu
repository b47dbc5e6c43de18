// bug: the column of B is chosen by the row
// expect: wrong-result
// diag: B[k * N + row]
// says: row instead of col
// block: 16,16
// grid: cdiv(N,16),cdiv(M,16)
// smem: 0
// shape_fail: 32,32,16; 24,24,8
// shape_pass: 1,1,16
// at_pass: ok
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    if (row >= M || col >= N) return;
    float acc = 0.0f;
    for (int k = 0; k < K; ++k) acc += A[row * K + k] * B[k * N + row];
    C[row * N + col] = acc;
}
