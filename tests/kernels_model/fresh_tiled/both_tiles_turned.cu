// Both tiles of 32 by 32 are kept turned, with a column more; 512 threads have two rows each.
// block: 32,16
// grid: cdiv(N,32),cdiv(M,32)
#define T 32

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float At[T][T + 1], Bt[T][T + 1];
    const int tx = threadIdx.x, ty = threadIdx.y, top = blockIdx.y * T, col = blockIdx.x * T + tx;
    float upper = 0.0f, lower = 0.0f;
    for (int k0 = 0; k0 < K; k0 += T) {
        for (int y = ty; y < T; y += 16) {
            At[tx][y] = top + y < M && k0 + tx < K ? A[(top + y) * K + k0 + tx] : 0.0f;
            Bt[tx][y] = k0 + y < K && col < N ? B[(k0 + y) * N + col] : 0.0f;
        }
        __syncthreads();
        for (int k = 0; k < T; ++k) {
            const float b = Bt[tx][k];
            upper += At[k][ty] * b;
            lower += At[k][ty + 16] * b;
        }
        __syncthreads();
    }
    if (col < N && top + ty < M) C[(top + ty) * N + col] = upper;
    if (col < N && top + ty + 16 < M) C[(top + ty + 16) * N + col] = lower;
}
