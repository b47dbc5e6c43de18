// bug: the launch asks for 64 KiB of dynamic shared memory without saying so to the driver first
// expect: launch-error
// diag: more than 48 KiB needs cudaFuncAttributeMaxDynamicSharedMemorySize
// says: 65,536 bytes; opt-in
// block: 16,16
// grid: cdiv(N,16),cdiv(M,16)
// smem: 64*1024
// shape_fail: 16,16,16
// shape_pass: none
// at_pass: launch-error at every shape
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    extern __shared__ float pool[];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    float *As = pool, *Bs = pool + 16 * 512, acc = 0.0f;
    for (int k0 = 0; k0 < K; k0 += 512) {
        for (int k = tx; k < 512; k += 16) As[ty * 512 + k] = row < M && k0 + k < K ? A[row * K + k0 + k] : 0.0f;
        for (int k = ty; k < 512; k += 16) Bs[k * 16 + tx] = k0 + k < K && col < N ? B[(k0 + k) * N + col] : 0.0f;
        __syncthreads();
        for (int k = 0; k < 512; ++k) acc += As[ty * 512 + k] * Bs[k * 16 + tx];
        __syncthreads();
    }
    if (row < M && col < N) C[row * N + col] = acc;
}
