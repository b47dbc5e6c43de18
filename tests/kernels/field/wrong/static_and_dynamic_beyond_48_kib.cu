// bug: neither the static nor the dynamic shared memory is too much, but both together are
// expect: launch-error
// diag: 32 KiB static and 20 KiB dynamic without the opt-in
// says: 32,768 bytes static and 20,480 dynamic; opt-in
// block: 16,16
// grid: cdiv(N,16),cdiv(M,16)
// smem: 20*1024
// shape_fail: 16,16,16
// shape_pass: none
// at_pass: launch-error at every shape
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float As[16][512];
    extern __shared__ float Bs[];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    float acc = 0.0f;
    for (int k0 = 0; k0 < K; k0 += 320) {
        for (int k = tx; k < 320; k += 16) As[ty][k] = row < M && k0 + k < K ? A[row * K + k0 + k] : 0.0f;
        for (int k = ty; k < 320; k += 16) Bs[k * 16 + tx] = k0 + k < K && col < N ? B[(k0 + k) * N + col] : 0.0f;
        __syncthreads();
        for (int k = 0; k < 320; ++k) acc += As[ty][k] * Bs[k * 16 + tx];
        __syncthreads();
    }
    if (row < M && col < N) C[row * N + col] = acc;
}
