// bug: only the lanes with work take part in the shuffles, with a mask that names all
// expect: divergence
// diag: lanes without a k do not come
// says: mask names lanes that do not come
// block: 8,16
// grid: N,cdiv(M,16)
// smem: 0
// shape_fail: 16,4,5; 18,4,7
// shape_pass: 16,4,16; 18,4,8
// at_pass: ok
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int part = threadIdx.x, row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x;
    float sum = 0.0f;
    if (part < K) {
        for (int k = part; k < K; k += 8) sum += A[min(row, M - 1) * K + k] * B[k * N + col];
        for (int d = 4; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d, 8);
    }
    if (part == 0 && row < M) C[row * N + col] = sum;
}
