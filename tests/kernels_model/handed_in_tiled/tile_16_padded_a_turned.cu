// Tiles of 16 by 16, A turned in shared memory with one slot of padding.
// block: 16,16
// grid: cdiv(N,16),cdiv(M,16)
#define TS 16
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float At[TS][TS + 1], Bs[TS][TS];
    const int tx = threadIdx.x, ty = threadIdx.y, col = blockIdx.x * TS + tx, row = blockIdx.y * TS + ty;
    float acc = 0.0f;
    for (int t = 0; t < (K + TS - 1) / TS; ++t) {
        At[tx][ty] = row < M && t * TS + tx < K ? A[row * K + t * TS + tx] : 0.0f;
        Bs[ty][tx] = col < N && t * TS + ty < K ? B[(t * TS + ty) * N + col] : 0.0f;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TS; ++k) acc += At[k][ty] * Bs[k][tx];
        __syncthreads();
    }
    if (row < M && col < N) C[row * N + col] = acc;
}
