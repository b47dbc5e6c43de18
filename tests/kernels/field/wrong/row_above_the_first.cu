// bug: the prefetch looks one row up, and the first row has none
// expect: oob
// diag: index -K in the first row
// says: before its start; negative
// block: 16,16
// grid: cdiv(N,16),cdiv(M,16)
// smem: 0
// shape_fail: 16,16,16
// shape_pass: none
// at_pass: oob at every shape
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    if (row >= M || col >= N) return;
    float acc = 0.0f;
    const float* a = A + (row - 1) * K;
    for (int k = 0; k < K; ++k) {
        const float above = a[k], mine = a[k + K];
        acc += (above > 4.0f ? above : mine) * B[k * N + col];
    }
    C[row * N + col] = acc;
}
