// bug: the barrier waits for 192 threads, and 128 come
// expect: divergence
// diag: the group can never go on
// says: number of threads
// block: 16,16
// grid: cdiv(N,16),cdiv(M,16)
// smem: 0
// shape_fail: 16,16,16
// shape_pass: none
// at_pass: divergence at every shape
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float As[16][16];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    float acc = 0.0f;
    for (int k0 = 0; k0 < K; k0 += 16) {
        As[ty][tx] = (row < M && k0 + tx < K) ? A[row * K + k0 + tx] : 0.0f;
        if (ty < 8) asm volatile("bar.sync 1, 192;" ::: "memory");
        for (int k = 0; k < 16 && k0 + k < K; ++k) acc += col < N ? As[ty][k] * B[(k0 + k) * N + col] : 0.0f;
        __syncthreads();
    }
    if (row < M && col < N) C[row * N + col] = acc;
}
