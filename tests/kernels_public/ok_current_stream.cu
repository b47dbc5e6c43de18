// run: --launcher solve
// expect: passed
// The stream of a framework, which is not here.
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
__global__ void mm(const float* A, const float* B, float* C, int M, int N, int K) {
  int r = blockIdx.y * blockDim.y + threadIdx.y, c = blockIdx.x * blockDim.x + threadIdx.x;
  if (r < M && c < N) { float s = 0.f; for (int k = 0; k < K; ++k) s += A[r * K + k] * B[k * N + c]; C[r * N + c] = s; }
}

void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  cudaStream_t stream = at::cuda::getCurrentCUDAStream();
  const int bs = 16;
  dim3 grid(at::ceil_div(N, bs), at::ceil_div(M, bs));
  mm<<<grid, dim3(bs, bs), 0, stream>>>(A, B, C, M, N, K);
  AT_CUDA_CHECK(cudaGetLastError());
}
