// bug: one block a row of C, along y
// expect: launch-error
// diag: at most 65,535 blocks along y
// says: 65,600 blocks along y; 65,535
// block: 32
// grid: cdiv(N,32),M
// smem: 0
// shape_fail: 65600,1,1
// shape_pass: 30,33,4
// at_pass: ok
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y;
    if (col >= N) return;
    float acc = 0.0f;
    for (int k = 0; k < K; ++k) acc += A[row * K + k] * B[k * N + col];
    C[row * N + col] = acc;
}
