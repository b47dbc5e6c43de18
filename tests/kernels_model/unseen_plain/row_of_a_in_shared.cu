// A block has one row of A in shared memory, 512 elements at a time, and 256 columns of B, two a thread.
// block: 128
// grid: cdiv(N,256),M
#define CHUNK 512

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float a[CHUNK];
    const int row = blockIdx.y, col = blockIdx.x * 256 + threadIdx.x;
    float near = 0.0f, far = 0.0f;
    for (int k0 = 0; k0 < K; k0 += CHUNK) {
        const int count = min(CHUNK, K - k0);
        for (int i = threadIdx.x; i < count; i += 128) a[i] = A[row * K + k0 + i];
        __syncthreads();
        for (int k = 0; k < count; ++k) {
            if (col < N) near += a[k] * B[(k0 + k) * N + col];
            if (col + 128 < N) far += a[k] * B[(k0 + k) * N + col + 128];
        }
        __syncthreads();
    }
    if (col < N) C[row * N + col] = near;
    if (col + 128 < N) C[row * N + col + 128] = far;
}
