// run: --block 16,16 --grid "cdiv(N,16),cdiv(N,16)" --kernel matrixMul --args "A,B,C,N" --shape 48,32,48
// expect: wrong_result | Rows from 32 on
// Takes N for everything, so that only square matrices come out right.
__global__ void matrixMul(const float *a, const float *b, float *c, int n) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  float temp = 0;
  if (row < n && col < n) {
    for (int k = 0; k < n; k++) temp += a[row * n + k] * b[k * n + col];
    c[row * n + col] = temp;
  }
}
