// bug: B is read along its rows, as the second matrix of a product with the transpose would be
// expect: wrong-result
// diag: B[col * K + k] in place of B[k * N + col]
// says: transposed
// block: 16,16
// grid: cdiv(N,16),cdiv(M,16)
// smem: 0
// shape_fail: 32,32,32; 20,24,28
// shape_pass: 16,1,16
// at_pass: ok (B is one column)
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= M || col >= N) return;
    float acc = 0.0f;
    for (int k = 0; k < K; ++k) acc += A[row * K + k] * B[col * K + k];
    C[row * N + col] = acc;
}
