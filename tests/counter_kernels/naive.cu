// Threads of a warp go along a row of C: B is read in one piece, A as a broadcast.
// block: 32,8
// grid: cdiv(N,32),cdiv(M,8)
// shape: 96,128,64
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= M || col >= N) return;
    float acc = 0.0f;
    for (int k = 0; k < K; ++k) {
        const float a = A[row * K + k];
        const float b = B[k * N + col];
        acc += a * b;
    }
    C[row * N + col] = acc;
}
