// 240 threads, 24 across and 10 down by division: no warp lies in one row, and the last is half empty.
// block: 240
// grid: cdiv(N,24),cdiv(M,10)
#define WIDE 24
#define HIGH 10

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int col = blockIdx.x * WIDE + threadIdx.x % WIDE, row = blockIdx.y * HIGH + threadIdx.x / WIDE;
    if (row < M && col < N) {
        float sum = 0.0f;
        for (int k = 0; k < K; k++) {
            sum += A[row * K + k] * B[k * N + col];
        }
        C[row * N + col] = sum;
    }
}
