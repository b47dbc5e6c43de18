// run: --launcher solve
// expect: launch_error | 'N / 32'
// Rounded down: below one tile there is no block at all.
#define TILE 32
__global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K) {
    int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
    if (row >= M || col >= N) return;
    float sum = 0.f;
    for (int k = 0; k < K; k++) sum += A[row * K + k] * B[k * N + col];
    C[row * N + col] = sum;
}

void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    dim3 threads(TILE, TILE);
    dim3 blocks(N / TILE, M / TILE);
    gemm<<<blocks, threads>>>(A, B, C, M, N, K);
}
