// Tiles of 32 by 32 with K in eight parts, which meet in C by atomics. The launcher sets C to zero.
// launcher: solve
#define TILE 32
#define PARTS 8

__global__ void gemm_part(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float As[TILE][TILE], Bs[TILE][TILE];
    const int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
    const int depth = ((K + PARTS - 1) / PARTS + TILE - 1) / TILE * TILE, last = min(K, (blockIdx.z + 1) * depth);
    float sum = 0.0f;
    for (int k0 = blockIdx.z * depth; k0 < last; k0 += TILE) {
        As[ty][tx] = row < M && k0 + tx < last ? A[row * K + k0 + tx] : 0.0f;
        Bs[ty][tx] = k0 + ty < last && col < N ? B[(k0 + ty) * N + col] : 0.0f;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TILE; ++k) sum += As[ty][k] * Bs[k][tx];
        __syncthreads();
    }
    if (row < M && col < N) atomicAdd(&C[row * N + col], sum);
}

void solve(const float* A, const float* B, float* C, int M, int N, int K)
{
    cudaMemset(C, 0, sizeof(float) * M * N);
    const dim3 block(TILE, TILE), grid((N + TILE - 1) / TILE, (M + TILE - 1) / TILE, PARTS);
    gemm_part<<<grid, block>>>(A, B, C, M, N, K);
}
