// bug: the loop over K takes one turn too many
// expect: oob
// diag: k equal K reads the row of B after the last
// says: of B; beyond its end; K×N
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
    for (int k = 0; k <= K; ++k) acc += A[row * K + k] * B[k * N + col];
    C[row * N + col] = acc;
}
