// A loop in steps of the whole grid over the elements of C.
// block: 256
// grid: 528
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < M * N; i += gridDim.x * blockDim.x) {
        const int row = i / N, col = i - row * N;
        float sum = 0.0f;
        for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + col];
        C[i] = sum;
    }
}
