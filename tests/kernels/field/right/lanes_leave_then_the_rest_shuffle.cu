// bug: none - lanes outside of C return; those that are left may name the whole warp, for a mask asks only for lanes that are still there
// expect: ok
// diag: no error finding at any shape
// block: 8,16
// grid: N,cdiv(M,16)
// smem: 0
// shape_fail: none
// shape_pass: 18,5,20; 16,2,64; 1,1,3
// at_pass: ok
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int part = threadIdx.x, row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x;
    if (row >= M) return;
    float sum = 0.0f;
    for (int k = part; k < K; k += 8) sum += A[row * K + k] * B[k * N + col];
    for (int d = 4; d > 0; d >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, d, 8);
    if (part == 0) C[row * N + col] = sum;
}
