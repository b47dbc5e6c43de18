// bug: blocks that share an element of C add to it without atomics
// expect: race
// diag: updates of different blocks get lost
// says: blocks are never ordered; atomicAdd
// block: 16,16
// grid: cdiv(N,16),cdiv(M,16),2
// smem: 0
// shape_fail: 16,16,16
// shape_pass: none
// at_pass: race at every shape
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    if (row >= M || col >= N) return;
    float part = 0.0f;
    for (int k = blockIdx.z; k < K; k += gridDim.z) part += A[row * K + k] * B[k * N + col];
    C[row * N + col] += part;
}
