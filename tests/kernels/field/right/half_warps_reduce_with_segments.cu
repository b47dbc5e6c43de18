// bug: none - sixteen lanes compute one element; the shuffles have width 16 and the mask of the half that came
// expect: ok
// diag: no error finding at any shape
// block: 16,8
// grid: N,cdiv(M,8)
// smem: 0
// shape_fail: none
// shape_pass: 9,7,20; 8,8,64; 3,2,1
// at_pass: ok
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int part = threadIdx.x, row = blockIdx.y * 8 + threadIdx.y, col = blockIdx.x;
    const unsigned mask = 0xffffu << (16 * (threadIdx.y & 1));
    if (row >= M) return;
    float sum = 0.0f;
    for (int k = part; k < K; k += 16) sum += A[row * K + k] * B[k * N + col];
    for (int d = 8; d >= 1; d /= 2) sum += __shfl_down_sync(mask, sum, d, 16);
    if (part == 0) C[row * N + col] = sum;
}
