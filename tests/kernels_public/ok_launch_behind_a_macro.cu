// run: --launcher solve
// expect: passed
// The launch hides in a macro, for an editor's sake.
#ifndef TILE
#define TILE 16
#endif
#if defined(__CUDACC__) && !defined(NO_RESTRICT)
#define RESTRICT __restrict__
#else
#define RESTRICT
#endif
#ifdef __INTELLISENSE__
#define KERNEL_ARGS(...)
#else
#define KERNEL_ARGS(grid, block) <<<grid, block>>>
#endif
__global__ void mm(const float* RESTRICT A, const float* RESTRICT B, float* RESTRICT C, int M, int N, int K) {
  int r = blockIdx.y * blockDim.y + threadIdx.y, c = blockIdx.x * blockDim.x + threadIdx.x;
  if (r < M && c < N) { float s = 0.f; for (int k = 0; k < K; ++k) s += A[r * K + k] * B[k * N + c]; C[r * N + c] = s; }
}
void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  mm KERNEL_ARGS(dim3((N + TILE - 1) / TILE, (M + TILE - 1) / TILE), dim3(TILE, TILE))(A, B, C, M, N, K);
}
