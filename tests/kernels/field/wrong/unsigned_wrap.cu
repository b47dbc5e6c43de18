// bug: an unsigned loop that counts down asks for k >= 0, which is always so
// expect: oob
// diag: after 0 comes 4294967295
// says: of
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
    for (unsigned k = K - 1; k >= 0 && k != 0xfffffffeu; --k) acc += A[row * K + k] * B[k * N + col];
    C[row * N + col] = acc;
}
