// bug: the kernel fills tiles of 16x16, the launch gives it 8x8 threads
// expect: wrong-result
// diag: three quarters of the tiles are never filled and of C never stored
// says: mend the fault found there first
// block: 8,8
// grid: cdiv(N,16),cdiv(M,16)
// smem: 0
// shape_fail: 16,16,16
// shape_pass: none
// at_pass: wrong-result at every shape
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float As[16][16], Bs[16][16];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    float acc = 0.0f;
    for (int k0 = 0; k0 < K; k0 += 16) {
        As[ty][tx] = (row < M && k0 + tx < K) ? A[row * K + k0 + tx] : 0.0f;
        Bs[ty][tx] = (k0 + ty < K && col < N) ? B[(k0 + ty) * N + col] : 0.0f;
        __syncthreads();
        for (int k = 0; k < 16; ++k) acc += As[ty][k] * Bs[k][tx];
        __syncthreads();
    }
    if (row < M && col < N) C[row * N + col] = acc;
}
