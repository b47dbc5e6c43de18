// Eight steps of k written out, all sixteen loads before the first multiply-add. Long indices.
// block: 16,8
// grid: cdiv(N,16),cdiv(M,8)
// multiples: 1,1,8
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const size_t col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y, n = N;
    if (row >= M || col >= n) return;
    const float *a = A + row * K, *b = B + col;
    float sum = 0.0f;
    for (int k = 0; k < K; k += 8, a += 8, b += 8 * n) {
        const float a0 = a[0], a1 = a[1], a2 = a[2], a3 = a[3], a4 = a[4], a5 = a[5], a6 = a[6], a7 = a[7];
        const float b0 = b[0], b1 = b[n], b2 = b[2 * n], b3 = b[3 * n];
        const float b4 = b[4 * n], b5 = b[5 * n], b6 = b[6 * n], b7 = b[7 * n];
        sum += a0 * b0;
        sum += a1 * b1;
        sum += a2 * b2;
        sum += a3 * b3;
        sum += a4 * b4;
        sum += a5 * b5;
        sum += a6 * b6;
        sum += a7 * b7;
    }
    C[row * n + col] = sum;
}
