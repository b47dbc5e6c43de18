// bug: none - unsigned counters and 64-bit offsets; one loop counts down to zero and stops by wrapping round
// expect: ok
// diag: no error finding at any shape
// block: 16,16
// grid: cdiv(N,16),cdiv(M,16)
// smem: 0
// shape_fail: none
// shape_pass: 33,47,29; 16,16,16; 1,2,3
// at_pass: ok
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const unsigned col = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned row = blockIdx.y * blockDim.y + threadIdx.y;
    const size_t m = M, n = N, depth = K;
    if (row >= m || col >= n) return;
    float acc = 0.0f;
    for (unsigned k = K - 1u; k < depth; --k) acc += A[size_t(row) * depth + k] * B[size_t(k) * n + col];
    C[row * n + col] = acc;
}
