// Threads of a warp go down a column of C: A is read and C written in 32 pieces.
// block: 32,8
// grid: cdiv(M,32),cdiv(N,8)
// shape: 96,128,64
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    const int col = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= M || col >= N) return;
    float acc = 0.0f;
    for (int k = 0; k < K; ++k) {
        const float a = A[row * K + k];
        const float b = B[k * N + col];
        acc += a * b;
    }
    C[row * N + col] = acc;
}
