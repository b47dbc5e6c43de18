// bug: half of each warp waits for the whole warp
// expect: divergence
// diag: __syncwarp() in a branch that sixteen lanes take
// says: mask names lanes
// block: 16,8
// grid: cdiv(N,16),cdiv(M,8)
// smem: 0
// shape_fail: 8,16,16
// shape_pass: none
// at_pass: divergence at every shape
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float strip[8][16];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * 8 + ty, col = blockIdx.x * 16 + tx;
    float acc = 0.0f;
    for (int k0 = 0; k0 < K; k0 += 16) {
        strip[ty][tx] = row < M && k0 + tx < K ? A[row * K + k0 + tx] : 0.0f;
        if (ty % 2 == 0) {
            __syncwarp();
            for (int k = 0; k < 16 && k0 + k < K; ++k) acc += col < N ? strip[ty][k] * B[(k0 + k) * N + col] : 0.0f;
        } else {
            for (int k = 0; k < 16 && k0 + k < K; ++k) acc += row < M && col < N ? A[row * K + k0 + k] * B[(k0 + k) * N + col] : 0.0f;
        }
        __syncthreads();
    }
    if (row < M && col < N) C[row * N + col] = acc;
}
