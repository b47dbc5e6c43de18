// Tiles of 16 by 16 elements, 64 deep: four loads of each matrix a thread before each pair of barriers.
// block: 16,16
// grid: cdiv(N,16),cdiv(M,16)
extern "C" __global__ void gemm(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N,
                                int K)
{
    __shared__ float As[16][64], Bs[64][16];
    const int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    float c = 0.0f;
    for (int base = 0; base < K; base += 64) {
        for (int i = 0; i < 64; i += 16) {
            As[ty][tx + i] = (row < M && base + tx + i < K) ? A[row * K + base + tx + i] : 0.0f;
            Bs[ty + i][tx] = (col < N && base + ty + i < K) ? B[(base + ty + i) * N + col] : 0.0f;
        }
        __syncthreads();
        for (int k = 0; k < 64; ++k) c += As[ty][k] * Bs[k][tx];
        __syncthreads();
    }
    if (row < M && col < N) C[row * N + col] = c;
}
