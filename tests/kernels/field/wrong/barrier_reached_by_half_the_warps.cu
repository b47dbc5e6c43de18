// bug: only the warps that copy B wait for the copy to be done
// expect: divergence
// diag: warps 0 to 3 wait, warps 4 to 7 do not come to that barrier
// says: __syncthreads()
// block: 16,16
// grid: cdiv(N,16),cdiv(M,16)
// smem: 0
// shape_fail: 16,16,32
// shape_pass: none
// at_pass: divergence at every shape
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float As[16][16], Bs[16][16];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    float acc = 0.0f;
    for (int k0 = 0; k0 < K; k0 += 16) {
        As[ty][tx] = (row < M && k0 + tx < K) ? A[row * K + k0 + tx] : 0.0f;
        if (ty < 8) {
            for (int k = ty; k < 16; k += 8) Bs[k][tx] = (k0 + k < K && col < N) ? B[(k0 + k) * N + col] : 0.0f;
            __syncthreads();
        }
        for (int k = 0; k < 16; ++k) acc += As[ty][k] * Bs[k][tx];
        __syncthreads();
    }
    if (row < M && col < N) C[row * N + col] = acc;
}
