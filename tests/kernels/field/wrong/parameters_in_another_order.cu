// bug: the kernel takes its sizes in the order M, K, N
// expect: wrong-result
// diag: the checker passes M, N, K
// says: C is wrong
// block: 16,16
// grid: cdiv(N,16),cdiv(M,16)
// smem: 0
// shape_fail: 16,16,24
// shape_pass: 16,16,16
// at_pass: ok (N equals K)
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int K, int N)
{
    const int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    if (row >= M || col >= N) return;
    float acc = 0.0f;
    for (int k = 0; k < K; ++k) acc += A[row * K + k] * B[k * N + col];
    C[row * N + col] = acc;
}
