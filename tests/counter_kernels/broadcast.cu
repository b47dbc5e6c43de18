// A block computes one row of C. All threads read the same element of As at a time.
// block: 128
// grid: cdiv(N,128),M
// shape: 24,256,64
#define BK 32

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float As[BK];
    const int row = blockIdx.y, col = blockIdx.x * 128 + threadIdx.x;
    float acc = 0.0f;
    for (int k0 = 0; k0 < K; k0 += BK) {
        if (threadIdx.x < BK) As[threadIdx.x] = k0 + threadIdx.x < K ? A[row * K + k0 + threadIdx.x] : 0.0f;
        __syncthreads();
        for (int k = 0; k < BK; ++k) acc += As[k] * (k0 + k < K && col < N ? B[(k0 + k) * N + col] : 0.0f);
        __syncthreads();
    }
    if (col < N) C[row * N + col] = acc;
}
