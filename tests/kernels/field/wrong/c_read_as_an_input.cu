// bug: the kernel computes alpha times the product plus beta times the old C, with beta 0
// expect: wrong-result
// diag: 0 times what C happens to hold is not 0 when that is NaN
// says: before anything was written; C does not start as zeros
// block: 16,16
// grid: cdiv(N,16),cdiv(M,16)
// smem: 0
// shape_fail: 16,16,16
// shape_pass: none
// at_pass: wrong-result at every shape
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    if (row >= M || col >= N) return;
    const float alpha = 1.0f, beta = K < 0 ? 1.0f : 0.0f;
    float acc = 0.0f;
    for (int k = 0; k < K; ++k) acc += A[row * K + k] * B[k * N + col];
    C[row * N + col] = alpha * acc + beta * C[row * N + col];
}
