// bug: rows of C are taken to be K elements long
// expect: oob
// diag: C[row * K + col] runs past C where K is larger than N
// says: of C; beyond its end
// block: 16,16
// grid: cdiv(N,16),cdiv(M,16)
// smem: 0
// shape_fail: 32,16,48
// shape_pass: 32,48,48
// at_pass: ok (N equals K)
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    if (row >= M || col >= N) return;
    float acc = 0.0f;
    for (int k = 0; k < K; ++k) acc += A[row * K + k] * B[k * N + col];
    C[row * K + col] = acc;
}
