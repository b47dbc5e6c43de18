// bug: a test left over from a two-column version keeps odd threads from storing
// expect: wrong-result
// diag: every second column of C is never written
// says: never written
// block: 16,16
// grid: cdiv(N,16),cdiv(M,16)
// smem: 0
// shape_fail: 16,32,16
// shape_pass: 16,1,16
// at_pass: ok (one column)
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    float acc = 0.0f;
    for (int k = 0; k < K; ++k)
        if (row < M && col < N) acc += A[row * K + k] * B[k * N + col];
    if (row < M && col < N && threadIdx.x % 2 == 0) C[row * N + col] = acc;
}
