// Blocks of 128 threads in a line: each has 128 columns of one row.
// block: 128
// grid: cdiv(N,128),M
extern "C" __global__ void gemm(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N,
                                int K)
{
    const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
    if (col < N) {
        float value = 0.0f;
#pragma unroll 4
        for (int k = 0; k < K; k++) value = fmaf(A[row * K + k], B[k * N + col], value);
        C[row * N + col] = value;
    }
}
