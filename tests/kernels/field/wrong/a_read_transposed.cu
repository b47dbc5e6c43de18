// bug: A is read as if its columns followed each other in memory
// expect: wrong-result
// diag: A[k * M + row] in place of A[row * K + k]
// says: transposed
// block: 16,16
// grid: cdiv(N,16),cdiv(M,16)
// smem: 0
// shape_fail: 32,32,32; 20,24,28
// shape_pass: 1,16,16
// at_pass: ok (A is one row)
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < M && col < N) {
        float acc = 0.0f;
        for (int k = 0; k < K; ++k) acc += A[k * M + row] * B[k * N + col];
        C[row * N + col] = acc;
    }
}
