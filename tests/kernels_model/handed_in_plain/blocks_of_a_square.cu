// One element a thread in blocks of 24 by 8, unrolled by eight.
// block: 24,8
// grid: cdiv(N,24),cdiv(M,8)
extern "C" __global__ void gemm(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N,
                                int K)
{
    const unsigned col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < (unsigned)M && col < (unsigned)N) {
        float dot = 0.0f;
#pragma unroll 8
        for (unsigned k = 0; k < (unsigned)K; ++k) dot += A[row * K + k] * B[k * N + col];
        C[row * N + col] = dot;
    }
}
