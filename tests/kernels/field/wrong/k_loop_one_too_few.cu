// bug: the loop over K stops before its last turn
// expect: wrong-result
// diag: the product of the last k is missing in every element
// says: The product of the last k is missing
// block: 16,16
// grid: cdiv(N,16),cdiv(M,16)
// smem: 0
// shape_fail: 16,16,16; 20,24,5
// shape_pass: none
// at_pass: wrong-result at every shape
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    if (row >= M || col >= N) return;
    float acc = 0.0f;
    for (int k = 0; k < K - 1; ++k) acc += A[row * K + k] * B[k * N + col];
    C[row * N + col] = acc;
}
