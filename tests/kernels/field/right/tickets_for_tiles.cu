// bug: none - blocks take the number of their next tile from a counter, and pass it on in shared memory
// expect: ok
// diag: no error finding at any shape
// block: 16,16
// grid: 3
// smem: 0
// shape_fail: none
// shape_pass: 33,47,29; 16,16,16
// at_pass: ok
__device__ int next_tile;

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float As[16][16], Bs[16][16];
    __shared__ int tile;
    const int tx = threadIdx.x, ty = threadIdx.y, across = (N + 15) / 16, down = (M + 15) / 16;
    while (true) {
        if (tx == 0 && ty == 0) tile = atomicAdd(&next_tile, 1);
        __syncthreads();
        const int mine = tile;
        if (tx == 0 && ty == 0 && mine == across * down + gridDim.x - 1) next_tile = 0;  // the last draw of all
        if (mine >= across * down) break;
        const int row = mine / across * 16 + ty, col = mine % across * 16 + tx;
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
