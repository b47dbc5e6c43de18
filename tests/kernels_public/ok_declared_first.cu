// run: --launcher solve
// expect: passed
// Prototypes first, the functions behind.
void launch_mm(const float* A, const float* B, float* C, int M, int N, int K, cudaStream_t stream);
__global__ void mm(const float* A, const float* B, float* C, int M, int N, int K);
extern "C" {
void solve(const float* A, const float* B, float* C, int M, int N, int K) { launch_mm(A, B, C, M, N, K, nullptr); }
}
__global__ void mm(const float* A, const float* B, float* C, int M, int N, int K) {
  int r = blockIdx.y * blockDim.y + threadIdx.y, c = blockIdx.x * blockDim.x + threadIdx.x;
  if (r < M && c < N) { float s = 0.f; for (int k = 0; k < K; ++k) s += A[r * K + k] * B[k * N + c]; C[r * N + c] = s; }
}

void launch_mm(const float* A, const float* B, float* C, int M, int N, int K, cudaStream_t stream) {
  const int threads = 256;
  static const int bx = 32, by = threads / bx;
  mm<<<dim3((N - 1) / bx + 1, (M - 1) / by + 1), dim3(bx, by), 0, stream>>>(A, B, C, M, N, K);
}
