// One element a thread, 32 by 4; two pointers walk along the row of A and down the column of B.
// block: 32,4
// grid: cdiv(N,32),cdiv(M,4)
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 4 + threadIdx.y;
    if (col >= N || row >= M) return;
    const float *a = A + row * K, *b = B + col, *end = a + K;
    float sum = 0.0f;
    while (a != end) {
        sum += *a++ * *b;
        b += N;
    }
    C[row * N + col] = sum;
}
