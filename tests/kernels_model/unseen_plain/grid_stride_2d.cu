// Two loops in steps of the whole grid, which is 16 by 33 blocks at any shape.
// block: 32,4
// grid: 16,33
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    for (int row = blockIdx.y * blockDim.y + threadIdx.y; row < M; row += gridDim.y * blockDim.y) {
        for (int col = blockIdx.x * blockDim.x + threadIdx.x; col < N; col += gridDim.x * blockDim.x) {
            float sum = 0.0f;
            for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + col];
            C[row * N + col] = sum;
        }
    }
}
