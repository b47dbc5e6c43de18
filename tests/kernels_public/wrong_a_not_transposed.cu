// run: --kernel sgemm_tn --block 16,16 --grid "cdiv(N,16),cdiv(M,16)" --args "M,N,K,A.T,B,C"
// expect: wrong_result
// Says that A is stored transposed and reads it as if it were not.
__global__ void sgemm_tn(int M, int N, int K, const float *At, const float *B, float *C) {
  int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
  float acc = 0.0f;
  if (row >= M || col >= N) return;
  for (int k = 0; k < K; ++k) acc += At[row * K + k] * B[k * N + col];
  C[row * N + col] = acc;
}
