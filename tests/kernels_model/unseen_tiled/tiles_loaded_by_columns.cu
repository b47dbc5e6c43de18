// The usual tiles of 32 by 32, but the lanes of a warp copy a column each of them: 32 lines for each request.
// block: 32,32
// grid: cdiv(N,32),cdiv(M,32)
#define TILE 32

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float As[TILE][TILE + 1], Bs[TILE][TILE + 1];
    const int tx = threadIdx.x, ty = threadIdx.y, top = blockIdx.y * TILE, left = blockIdx.x * TILE;
    float sum = 0.0f;
    for (int k0 = 0; k0 < K; k0 += TILE) {
        As[tx][ty] = top + tx < M && k0 + ty < K ? A[(top + tx) * K + k0 + ty] : 0.0f;
        Bs[tx][ty] = k0 + tx < K && left + ty < N ? B[(k0 + tx) * N + left + ty] : 0.0f;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TILE; ++k) sum += As[ty][k] * Bs[k][tx];
        __syncthreads();
    }
    if (top + ty < M && left + tx < N) C[(top + ty) * N + left + tx] = sum;
}
