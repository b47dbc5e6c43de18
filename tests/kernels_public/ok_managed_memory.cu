// run: --launcher solve
// expect: passed
// Managed memory, fetched ahead, copied at the end.
__global__ void mm(const float* A, const float* B, float* C, int M, int N, int K) {
  int r = blockIdx.y * blockDim.y + threadIdx.y, c = blockIdx.x * blockDim.x + threadIdx.x;
  if (r < M && c < N) { float s = 0.f; for (int k = 0; k < K; ++k) s += A[r * K + k] * B[k * N + c]; C[r * N + c] = s; }
}

#define CHECK(expr) do { cudaError_t _e = (expr); if (_e != cudaSuccess) { printf("CUDA error: %s\n", cudaGetErrorString(_e)); exit(EXIT_FAILURE); } } while(0)
void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  float* tmp;
  CHECK(cudaMallocManaged(&tmp, sizeof(float) * M * N));
  unsigned int grid_x = (N + 15) >> 4, grid_y = (M + 15) >> 4;
  int device = -1; cudaGetDevice(&device);
  cudaMemPrefetchAsync(tmp, sizeof(float) * M * N, device, NULL);
  mm<<<dim3(grid_x, grid_y), dim3(16, 16)>>>(A, B, tmp, M, N, K);
  CHECK(cudaMemcpy(C, tmp, sizeof(float) * M * N, cudaMemcpyDefault));
  CHECK(cudaFree(tmp));
}
