// run: --block 16,16 --grid "cdiv(N,16),cdiv(M,16)"
// expect: compile_error | full-width
// A semicolon of another alphabet, which looks like C's.
__global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K) {
    int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x；
    if (row < M && col < N) {
        float sum = 0.f;
        for (int k = 0; k < K; k++) sum += A[row * K + k] * B[k * N + col];
        C[row * N + col] = sum;
    }
}
