// bug: a block computes several tiles of C and never sets the sum back
// expect: wrong-result
// diag: the second tile of a block holds the sum of the first one too
// says: C
// block: 16,16
// grid: 2
// smem: 0
// shape_fail: 16,80,16
// shape_pass: 16,32,16
// at_pass: ok (one tile a block)
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float As[16][16], Bs[16][16];
    const int tx = threadIdx.x, ty = threadIdx.y, across = (N + 15) / 16, down = (M + 15) / 16;
    float acc = 0.0f;
    for (int tile = blockIdx.x; tile < across * down; tile += gridDim.x) {
        const int row = tile / across * 16 + ty, col = tile % across * 16 + tx;
        for (int k0 = 0; k0 < K; k0 += 16) {
            As[ty][tx] = (row < M && k0 + tx < K) ? A[row * K + k0 + tx] : 0.0f;
            Bs[ty][tx] = (k0 + ty < K && col < N) ? B[(k0 + ty) * N + col] : 0.0f;
            __syncthreads();
            for (int k = 0; k < 16; ++k) acc += As[ty][k] * Bs[k][tx];
            __syncthreads();
        }
        if (row < M && col < N) C[row * N + col] = acc;
    }
}
