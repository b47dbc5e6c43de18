// bug: none - the block has three warps to spare, which end before the first barrier
// expect: ok
// diag: a warp that has ended is not waited for; at most a warning
// block: 352
// grid: cdiv(N,16),cdiv(M,16)
// smem: 0
// shape_fail: none
// shape_pass: 33,47,29; 16,16,16
// at_pass: ok
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float As[16][16], Bs[16][16];
    const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
    if (threadIdx.x >= 256) return;
    const int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
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
