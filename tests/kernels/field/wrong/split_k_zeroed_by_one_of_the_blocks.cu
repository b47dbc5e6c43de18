// bug: the block of the first part sets C to zero, while the others may have added already
// expect: race
// diag: blocks are not ordered
// says: blocks are never ordered
// block: 16,16
// grid: cdiv(N,16),cdiv(M,16),3
// smem: 0
// shape_fail: 20,16,30
// shape_pass: none
// at_pass: race at every shape
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    if (row >= M || col >= N) return;
    if (blockIdx.z == 0) C[row * N + col] = 0.0f;
    float part = 0.0f;
    for (int k = blockIdx.z; k < K; k += 3) part += A[row * K + k] * B[k * N + col];
    atomicAdd(&C[row * N + col], part);
}
