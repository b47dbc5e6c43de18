// run: --kernel sgemm_tn --block 16,16 --grid "cdiv(N,16),cdiv(M,16)" --args "M,N,K,A.T,B,C"
// expect: passed
// A is stored K by M, as a kernel likes that reads a column of it at once.
__global__ void sgemm_tn(int M, int N, int K, const float *__restrict__ At, const float *__restrict__ B, float *C) {
  __shared__ float Ats[16][16], Bs[16][16];
  int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
  float acc = 0.0f;
  for (int k0 = 0; k0 < K; k0 += 16) {
    int m = blockIdx.y * 16 + tx;
    Ats[ty][tx] = (k0 + ty < K && m < M) ? At[(k0 + ty) * M + m] : 0.0f;
    Bs[ty][tx] = (k0 + ty < K && col < N) ? B[(k0 + ty) * N + col] : 0.0f;
    __syncthreads();
    for (int k = 0; k < 16; ++k) acc += Ats[k][ty] * Bs[k][tx];
    __syncthreads();
  }
  if (row < M && col < N) C[row * N + col] = acc;
}
