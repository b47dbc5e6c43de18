// bug: none - the tile of A is kept column by column, stored and read the same way
// expect: ok
// diag: no error finding at any shape
// block: 16,16
// grid: cdiv(N,16),cdiv(M,16)
// smem: 0
// shape_fail: none
// shape_pass: 33,47,29; 16,32,16
// at_pass: ok
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float At[16][17], Bs[16][16];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * blockDim.y + ty, col = blockIdx.x * blockDim.x + tx;
    float acc = 0.0f;
    int k0 = 0;
    do {
        At[tx][ty] = (row < M && k0 + tx < K) ? A[row * K + k0 + tx] : 0.0f;
        Bs[ty][tx] = (k0 + ty < K && col < N) ? B[(k0 + ty) * N + col] : 0.0f;
        __syncthreads();
        for (int k = 0; k != 16; ++k) acc += At[k][ty] * Bs[k][tx];
        __syncthreads();
    } while ((k0 += 16) < K);
    if (row >= M || col >= N) return;
    C[row * N + col] = acc;
}
