// bug: whole warps whose rows lie below C end before the barrier, although they have rows of B to fill
// expect: wrong-result
// diag: the rows of the tile of B that they were to fill stay as they are
// block: 16,16
// grid: cdiv(N,16),cdiv(M,16)
// smem: 0
// shape_fail: 18,16,16; 2,7,9
// shape_pass: 16,16,16
// at_pass: ok (no row lies below C)
// says: mend the fault found there first
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float As[16][16], Bs[16][16];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    if (row / 2 * 2 >= M) return;
    float acc = 0.0f;
    for (int k0 = 0; k0 < K; k0 += 16) {
        As[ty][tx] = row < M && k0 + tx < K ? A[row * K + k0 + tx] : 0.0f;
        Bs[ty][tx] = k0 + ty < K && col < N ? B[(k0 + ty) * N + col] : 0.0f;
        __syncthreads();
        for (int k = 0; k < 16; ++k) acc += As[ty][k] * Bs[k][tx];
        __syncthreads();
    }
    if (row < M && col < N) C[row * N + col] = acc;
}
