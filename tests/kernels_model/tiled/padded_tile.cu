// Tiles of 16 by 16, both with a column of padding, loaded without a guard.
// block: 16,16
// grid: N//16,M//16
// multiples: 16,16,16
#define TILE 16

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float As[TILE][TILE + 1], Bs[TILE][TILE + 1];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const float* a = A + (blockIdx.y * TILE + ty) * K + tx;
    const float* b = B + ty * N + blockIdx.x * TILE + tx;
    float sum = 0.0f;
    for (int k0 = 0; k0 < K; k0 += TILE, a += TILE, b += TILE * N) {
        As[ty][tx] = *a;
        Bs[ty][tx] = *b;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TILE; ++k) sum = fmaf(As[ty][k], Bs[k][tx], sum);
        __syncthreads();
    }
    C[(blockIdx.y * TILE + ty) * N + blockIdx.x * TILE + tx] = sum;
}
