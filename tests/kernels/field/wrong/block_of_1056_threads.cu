// bug: a block of 33x32 threads
// expect: launch-error
// diag: 1056 threads; at most 1024
// says: 1,056 threads; 1,024
// block: 33,32
// grid: cdiv(N,33),cdiv(M,32)
// smem: 0
// shape_fail: 33,33,4
// shape_pass: none
// at_pass: launch-error at every shape
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= M || col >= N) return;
    float acc = 0.0f;
    for (int k = 0; k < K; ++k) acc += A[row * K + k] * B[k * N + col];
    C[row * N + col] = acc;
}
