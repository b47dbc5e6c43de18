// A tiled kernel whose lanes lie along a column of C: its loads are of whole lines, its stores are not.
// block: 16,16
// grid: cdiv(N,16),cdiv(M,16)
#define TILE 16

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float As[TILE][TILE + 1], Bs[TILE][TILE + 1];
    const int tx = threadIdx.x, ty = threadIdx.y, top = blockIdx.y * TILE, left = blockIdx.x * TILE;
    float sum = 0.0f;
    for (int k0 = 0; k0 < K; k0 += TILE) {
        As[ty][tx] = top + ty < M && k0 + tx < K ? A[(top + ty) * K + k0 + tx] : 0.0f;
        Bs[ty][tx] = k0 + ty < K && left + tx < N ? B[(k0 + ty) * N + left + tx] : 0.0f;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TILE; ++k) sum += As[tx][k] * Bs[k][ty];
        __syncthreads();
    }
    if (top + tx < M && left + ty < N) C[(top + tx) * N + left + ty] = sum;
}
