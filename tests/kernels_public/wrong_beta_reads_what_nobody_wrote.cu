// run: --launcher run_sgemm --args "M,N,K,1.0,A,B,0.0,C"
// expect: uninitialized | C
// beta * C with beta = 0 still reads C, which nobody filled: 0 * NaN is NaN.
#define CEIL_DIV(a, b) (((a) + (b) - 1) / (b))

__global__ void sgemm(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  const uint row = blockIdx.x * blockDim.x + threadIdx.x, col = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < M && col < N) {
    float sum = 0.0f;
    for (int i = 0; i < K; ++i) sum += A[row * K + i] * B[i * N + col];
    C[row * N + col] = alpha * sum + beta * C[row * N + col];
  }
}

void run_sgemm(int M, int N, int K, float alpha, float *A, float *B, float beta, float *C) {
  dim3 block(16, 16), grid(CEIL_DIV(M, 16), CEIL_DIV(N, 16));
  sgemm<<<grid, block>>>(M, N, K, alpha, A, B, beta, C);
}
