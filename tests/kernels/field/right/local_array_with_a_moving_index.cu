// bug: none - partial sums in a local array whose index the compiler cannot know, so that it lies in local memory
// expect: ok
// diag: no error finding at any shape
// block: 16,16
// grid: cdiv(N,16),cdiv(M,16)
// smem: 0
// shape_fail: none
// shape_pass: 17,19,29; 16,16,3
// at_pass: ok
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    if (row >= M || col >= N) return;
    float sums[7];
    for (int i = 0; i < 7; ++i) sums[i] = 0.0f;
#pragma unroll 1
    for (int k = 0; k < K; ++k) sums[(k * 5 + row) % 7] += A[row * K + k] * B[k * N + col];
    float acc = 0.0f;
#pragma unroll 1
    for (int i = 0; i < 7; ++i) acc += sums[(i + col) % 7];
    C[row * N + col] = acc;
}
