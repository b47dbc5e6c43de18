// bug: blocks move on by 15 columns with tiles of 16, so that two blocks store one column
// expect: race
// diag: both write the same elements of C; the values agree up to rounding only by chance
// says: blocks
// block: 16,16
// grid: cdiv(N,15),cdiv(M,16)
// smem: 0
// shape_fail: 16,31,16
// shape_pass: 16,15,16
// at_pass: ok (one block)
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int col = blockIdx.x * 15 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    if (row >= M || col >= N) return;
    float acc = 0.0f;
    if (blockIdx.x % 2 == 0)
        for (int k = 0; k < K; ++k) acc += A[row * K + k] * B[k * N + col];
    else
        for (int k = K - 1; k >= 0; --k) acc += A[row * K + k] * B[k * N + col];
    C[row * N + col] = acc;
}
