// run: --launcher solve
// expect: passed
// Two sizes out of one pair.
#include <tuple>
#include <utility>
__global__ void mm(const float* A, const float* B, float* C, int M, int N, int K) {
  int r = blockIdx.y * blockDim.y + threadIdx.y, c = blockIdx.x * blockDim.x + threadIdx.x;
  if (r < M && c < N) { float s = 0.f; for (int k = 0; k < K; ++k) s += A[r * K + k] * B[k * N + c]; C[r * N + c] = s; }
}

void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  auto [gx, gy] = std::make_pair((N + 15) / 16, (M + 15) / 16);
  mm<<<dim3(gx, gy), dim3(16, 16)>>>(A, B, C, M, N, K);
}
