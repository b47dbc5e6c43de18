// bug: the launch opts in, but asks for more than any block can get
// expect: launch-error
// diag: 256 KiB of dynamic shared memory
// says: even with the opt-in
// block: 16,16
// grid: cdiv(N,16),cdiv(M,16)
// smem: 256*1024
// smem_opt_in: yes
// shape_fail: 16,16,16
// shape_pass: none
// at_pass: launch-error at every shape
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    extern __shared__ float strip[];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    for (int k = tx; k < K; k += 16)
        if (row < M) strip[ty * K + k] = A[row * K + k];
    __syncthreads();
    float acc = 0.0f;
    if (row < M && col < N) {
        for (int k = 0; k < K; ++k) acc += strip[ty * K + k] * B[k * N + col];
        C[row * N + col] = acc;
    }
}
