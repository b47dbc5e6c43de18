// bug: none - a few blocks walk over all tiles of C
// expect: ok
// diag: no error finding at any shape
// block: 16,16
// grid: 3
// smem: 0
// shape_fail: none
// shape_pass: 33,47,29; 80,64,16; 1,1,1
// at_pass: ok
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float As[16][16], Bs[16][16];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int across = (N + 15) / 16, down = (M + 15) / 16;
    for (int tile = blockIdx.x; tile < across * down; tile += gridDim.x) {
        const int row = tile / across * 16 + ty, col = tile % across * 16 + tx;
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
}
