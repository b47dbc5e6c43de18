// 1024 threads with two by two sums each: blocks of 64 by 64 and tiles 32 deep, one block or two on an SM.
// block: 32,32
// grid: cdiv(N,64),cdiv(M,64)
#define TILE 32

extern "C" __global__ void __launch_bounds__(1024) gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float As[2 * TILE][TILE], Bs[TILE][2 * TILE];
    const int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 2 * TILE + ty, col = blockIdx.x * 2 * TILE + tx;
    float c00 = 0.0f, c01 = 0.0f, c10 = 0.0f, c11 = 0.0f;
    for (int k0 = 0; k0 < K; k0 += TILE) {
        const bool a_in = k0 + tx < K, b_in = k0 + ty < K;
        As[ty][tx] = a_in && row < M ? A[row * K + k0 + tx] : 0.0f;
        As[ty + TILE][tx] = a_in && row + TILE < M ? A[(row + TILE) * K + k0 + tx] : 0.0f;
        Bs[ty][tx] = b_in && col < N ? B[(k0 + ty) * N + col] : 0.0f;
        Bs[ty][tx + TILE] = b_in && col + TILE < N ? B[(k0 + ty) * N + col + TILE] : 0.0f;
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < TILE; ++k) {
            const float a0 = As[ty][k], a1 = As[ty + TILE][k], b0 = Bs[k][tx], b1 = Bs[k][tx + TILE];
            c00 += a0 * b0;
            c01 += a0 * b1;
            c10 += a1 * b0;
            c11 += a1 * b1;
        }
        __syncthreads();
    }
    if (row < M && col < N) C[row * N + col] = c00;
    if (row < M && col + TILE < N) C[row * N + col + TILE] = c01;
    if (row + TILE < M && col < N) C[(row + TILE) * N + col] = c10;
    if (row + TILE < M && col + TILE < N) C[(row + TILE) * N + col + TILE] = c11;
}
