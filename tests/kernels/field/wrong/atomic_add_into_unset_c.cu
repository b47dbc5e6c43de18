// bug: products are added to C by atomics, and nobody sets C to zero
// expect: wrong-result
// diag: C holds whatever was there before
// says: C does not start as zeros
// block: 16,16
// grid: cdiv(N,16),cdiv(M,16),2
// smem: 0
// shape_fail: 16,16,16
// shape_pass: none
// at_pass: wrong-result at every shape
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    if (row >= M || col >= N) return;
    float part = 0.0f;
    for (int k = blockIdx.z; k < K; k += 2) part += A[row * K + k] * B[k * N + col];
    atomicAdd(&C[row * N + col], part);
}
