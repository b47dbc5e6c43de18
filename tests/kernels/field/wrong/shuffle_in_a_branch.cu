// bug: only the lanes with work take part in the shuffles, with a mask that names all
// expect: divergence
// diag: lanes whose row lies outside of C do not come
// says: mask names lanes; that do not come
// block: 8,16
// grid: N,cdiv(M,16)
// smem: 0
// shape_fail: 18,4,16
// shape_pass: 16,4,16
// at_pass: ok
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int part = threadIdx.x, row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x;
    if (row < M) {
        float sum = 0.0f;
        for (int k = part; k < K; k += 8) sum += A[row * K + k] * B[k * N + col];
        for (int d = 4; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d, 8);
        if (part == 0) C[row * N + col] = sum;
    }
}
