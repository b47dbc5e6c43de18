// Two sums an element, of even and of odd k, so that no multiply-add waits for the one before. Blocks of 192 in a row.
// block: 192
// grid: cdiv(N,192),M
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int col = blockIdx.x * 192 + threadIdx.x, row = blockIdx.y;
    if (col >= N) return;
    const float *a = A + (size_t)row * K, *b = B + col;
    float even = 0.0f, odd = 0.0f;
    for (int k = 0; k < K - 1; k += 2) {
        even = fmaf(a[k], b[(size_t)k * N], even);
        odd = fmaf(a[k + 1], b[(size_t)(k + 1) * N], odd);
    }
    if (K % 2) even = fmaf(a[K - 1], b[(size_t)(K - 1) * N], even);
    C[(size_t)row * N + col] = even + odd;
}
