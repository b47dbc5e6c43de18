// bug: the grid is rounded down, to nothing for a small matrix
// expect: launch-error
// diag: N / 64 is 0
// says: The grid is 0×4×1; at least 1
// block: 64
// grid: N//64,M
// smem: 0
// shape_fail: 4,40,8
// shape_pass: 4,64,8
// at_pass: ok
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int col = blockIdx.x * 64 + threadIdx.x, row = blockIdx.y;
    if (col >= N) return;
    float acc = 0.0f;
    for (int k = 0; k < K; ++k) acc += A[row * K + k] * B[k * N + col];
    C[row * N + col] = acc;
}
