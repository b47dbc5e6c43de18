// run: --launcher solve
// expect: passed
// Kernels and launches that macros spell out.
#define DEFINE_MM(NAME, TILE)                                                                      \
  __global__ void NAME(const float* A, const float* B, float* C, int M, int N, int K) {            \
    int r = blockIdx.y * TILE + threadIdx.y, c = blockIdx.x * TILE + threadIdx.x;                   \
    if (r >= M || c >= N) return;                                                                  \
    float s = 0;                                                                                   \
    for (int k = 0; k < K; ++k) s += A[r * K + k] * B[k * N + c];                                  \
    C[r * N + c] = s;                                                                              \
  }
DEFINE_MM(mm16, 16)
DEFINE_MM(mm32, 32)
#define LAUNCH(NAME, TILE) NAME<<<dim3((N + TILE - 1) / TILE, (M + TILE - 1) / TILE), dim3(TILE, TILE)>>>(A, B, C, M, N, K)
void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  if (M > 40) LAUNCH(mm32, 32); else LAUNCH(mm16, 16);
}
