// run: --launcher solve --shape 32,32,32 --shape 64,48,32
// expect: passed
// An assertion says its reason; the launch is timed.
#include <cassert>
#include <iostream>
__global__ void mm(const float* A, const float* B, float* C, int M, int N, int K) {
  int r = blockIdx.y * blockDim.y + threadIdx.y, c = blockIdx.x * blockDim.x + threadIdx.x;
  if (r < M && c < N) { float s = 0.f; for (int k = 0; k < K; ++k) s += A[r * K + k] * B[k * N + c]; C[r * N + c] = s; }
}

void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  assert(M % 16 == 0 && N % 16 == 0 && "sizes must be multiples of the tile");
  cudaEvent_t t0, t1; float ms{};
  cudaEventCreate(&t0), cudaEventCreate(&t1);
  cudaEventRecord(t0, 0);
  for (int rep = 0; rep < 2; ++rep) mm<<<dim3(N / 16, M / 16), dim3(16, 16)>>>(A, B, C, M, N, K);
  cudaEventRecord(t1, 0); cudaEventSynchronize(t1);
  cudaEventElapsedTime(&ms, t0, t1);
  std::cout << "gflops " << 2.0 * M * N * K / (ms / 2 * 1e6) << "\n";
}
