// bug: the counter moves only in one branch
// expect: timeout
// diag: where A holds a number of zero or less the loop stands still
// says: did not come to an end; counter
// block: 16,16
// grid: cdiv(N,16),cdiv(M,16)
// smem: 0
// shape_fail: 16,16,16
// shape_pass: none
// at_pass: timeout at every shape
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    if (row >= M || col >= N) return;
    float acc = 0.0f;
    int k = 0;
    while (k < K) {
        acc += A[row * K + k] * B[k * N + col];
        if (A[row * K + k] > 0.0f) ++k;
    }
    C[row * N + col] = acc;
}
