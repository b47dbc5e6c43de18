// Four neighbouring rows a thread in blocks of 16 by 16, each guarded by itself.
// block: 16,16
// grid: cdiv(N,16),cdiv(M,64)
#define COARSE 4

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int col = blockIdx.x * 16 + threadIdx.x, row = (blockIdx.y * 16 + threadIdx.y) * COARSE;
    if (col >= N) return;
    float acc[COARSE] = {0.0f};
    for (int k = 0; k < K; k++) {
        const float b = B[k * N + col];
        for (int c = 0; c < COARSE; c++) {
            if (row + c < M) acc[c] += A[(row + c) * K + k] * b;
        }
    }
    for (int c = 0; c < COARSE; c++) {
        if (row + c < M) C[(row + c) * N + col] = acc[c];
    }
}
