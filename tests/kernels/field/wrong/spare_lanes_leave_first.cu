// bug: the last warp is half needed and half to spare, and its spare lanes end before the first barrier
// expect: divergence
// diag: the other lanes of that warp go on to barriers that the spare ones never reach
// block: 272
// grid: cdiv(N,16),cdiv(M,16)
// smem: 0
// shape_fail: 33,47,29; 16,16,16
// shape_pass: none
// at_pass: divergence at every shape
// says: has left the kernel without it
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float As[17][16], Bs[17][16];
    const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
    if (threadIdx.x >= 264) return;
    const int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    float acc = 0.0f;
    for (int k0 = 0; k0 < K; k0 += 16) {
        As[ty][tx] = row < M && k0 + tx < K ? A[row * K + k0 + tx] : 0.0f;
        Bs[ty][tx] = k0 + ty < K && col < N ? B[(k0 + ty) * N + col] : 0.0f;
        __syncthreads();
        for (int k = 0; k < 16; ++k) acc += As[ty][k] * Bs[k][tx];
        __syncthreads();
    }
    if (ty < 16 && row < M && col < N) C[row * N + col] = acc;
}
