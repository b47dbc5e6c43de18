// bug: the kernel promises at most 128 threads a block and gets 256
// expect: launch-error
// diag: __launch_bounds__(128)
// says: __launch_bounds__; 128
// block: 16,16
// grid: cdiv(N,16),cdiv(M,16)
// smem: 0
// shape_fail: 16,16,16
// shape_pass: none
// at_pass: launch-error at every shape
extern "C" __global__ void __launch_bounds__(128) gemm(
    const float* A, const float* B, float* C, int M, int N, int K)
{
    const int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    if (row >= M || col >= N) return;
    float acc = 0.0f;
    for (int k = 0; k < K; ++k) acc += A[row * K + k] * B[k * N + col];
    C[row * N + col] = acc;
}
